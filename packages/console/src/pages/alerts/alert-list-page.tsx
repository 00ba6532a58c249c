import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { FilterChoice } from '../../parts/tables/filter-bar.tsx';
import { defined } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { AlertDeliveries } from './alert-deliveries.tsx';
import { alertFilters, everyOrganization } from './alert-filters.ts';
import { AlertMark, AlertSubject } from './alert-marks.tsx';
import { type Alert, alertScope } from './alert-scope.ts';
import { alertWords } from './alert-words.ts';

/** The alerts of an organization, or of the instance with all organizations, each with its deliveries. */
export function AlertListPage() {
  const { t, i18n } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const { about } = alertFilters(useSearch({ strict: false }));
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const isOfInstance = organizationId === undefined;
  const { operations, params } = alertScope(organizationId);
  const isEverywhere = isOfInstance && about === undefined;
  const ofOne = usePages(operations.alerts, { params }, { enabled: !isEverywhere });
  const ofAll = usePages(alertScope('').operations.alerts, { params: everyOrganization }, { enabled: isEverywhere });
  const pages = isEverywhere ? ofAll : ofOne;
  const columns: Column<Alert>[] = [
    {
      title: t('alerts.columns.alert'),
      cell: (alert) => (
        <div className="stack tight">
          <div className="break-anywhere">
            <AlertMark alert={alert} /> <AlertSubject alert={alert} />
          </div>
          <div className="quiet small break-anywhere">{alertWords(i18n, alert).detail}</div>
        </div>
      ),
    },
    ...(isEverywhere
      ? [
          {
            title: t('shell.organization'),
            width: 170,
            cell: ({ organization_id }: Alert) =>
              organization_id === null ? (
                <span className="quiet">{t('audit.ofInstance')}</span>
              ) : (
                <Link to="/o/$organizationId/alerts" params={{ organizationId: organization_id }}>
                  <OrganizationName organizationId={organization_id} />
                </Link>
              ),
          },
        ]
      : []),
    { title: t('common.when'), width: 205, cell: ({ at }) => <Instant at={at} /> },
    {
      title: t('alerts.columns.deliveries'),
      width: 380,
      cell: ({ deliveries }) => <AlertDeliveries deliveries={deliveries} />,
    },
  ];
  const toChannels = may(operations.list) && (
    <Link
      to={isOfInstance ? '/instance/alert-channels' : '/o/$organizationId/alert-channels'}
      params={isOfInstance ? {} : { organizationId }}
    >
      {t('menu.alertChannels')}
    </Link>
  );
  return (
    <ListPage<Alert>
      title={t('menu.alerts')}
      lead={t(isOfInstance ? 'alerts.instanceLead' : 'alerts.lead')}
      pages={pages}
      csv={{
        fileName: 'alerts',
        columns: [
          [t('common.when'), ({ at }) => at],
          [t('alerts.columns.alert'), (alert) => alertWords(i18n, alert).subject],
          [t('common.details'), (alert) => alertWords(i18n, alert).detail],
          [t('alerts.columns.deliveries'), ({ deliveries }) => deliveries.map(summary).join('; ')],
          [t('shell.organization'), ({ organization_id }) => organization_id],
          ['type', ({ type }) => type],
          ['about', ({ about_id }) => about_id],
          ['id', ({ id }) => id],
        ],
      }}
      filters={
        isOfInstance && (
          <search className="filters">
            <FilterChoice
              label={t('alerts.about')}
              any={t('alerts.everywhere')}
              value={about}
              choices={[{ value: 'instance', label: t('alerts.onlyInstance') }]}
              onChange={(chosen) => void navigate({ to: '.', search: defined({ about: chosen }), replace: true })}
            />
          </search>
        )
      }
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={isEverywhere ? 1120 : 940}
      none={{ title: t('alerts.none'), lead: t('alerts.noneLead'), action: toChannels }}
    />
  );
}

const summary = ({ channel, to, state, last_error }: Alert['deliveries'][number]) =>
  [`${channel}${to === '' ? '' : ` (${to})`}: ${state}`, last_error].filter((part) => part !== null).join(': ');
