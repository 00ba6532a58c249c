import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { countRenewals, listRenewals } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { anyOrganization } from '@waxwing/contract/management-api/shared-schemas.ts';
import { renewalDays } from '@waxwing/contract/renewal-days.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { onlyWhoMay } from '../../parts/dialogs/only-who-may.tsx';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';
import { CertificateLink } from '../../parts/marks/thing-link.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { RenewalMark } from '../certificates/renewal-mark.tsx';
import { offsetMinutes, spanOf } from './calendar-days.ts';
import './issuing.css';
import { RenewalGrid } from './renewal-grid.tsx';

type Renewal = ItemOf<typeof listRenewals>;

/** What renews when, those that fail first: of one organization, or of all where operators look. */
export const RenewalCalendarPage = onlyWhoMay(listRenewals, RenewalCalendar);

function RenewalCalendar() {
  const { t } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const { day } = useSearch({ strict: false }) as { readonly day?: string };
  const navigate = useNavigate();
  const [offset] = useState(() => offsetMinutes(Date.now()));
  const params = { organization_id: organizationId ?? anyOrganization };
  const counts = useAnswer(countRenewals, { params, query: { offset_minutes: offset } });
  const from = counts.data?.from;
  const [endOfAll] = useState(() => new Date(Date.now() + renewalDays * 86_400_000).toISOString());
  const span = day === undefined || from === undefined ? { until: endOfAll } : spanOf(day, from, offset);
  const failing = usePages(listRenewals, { params, query: { failing: true } });
  const planned = usePages(listRenewals, { params, query: span }, { enabled: from !== undefined });
  const columns = useColumns(organizationId === undefined);

  if (counts.data === undefined) return <Unread of={counts} />;
  const choose = (chosen: string | undefined) =>
    void navigate({ to: '.', search: chosen === undefined ? {} : { day: chosen }, replace: true });
  return (
    <>
      <PageHead
        title={t('menu.renewals')}
        lead={
          <>
            {t('issuing.calendar.lead')}{' '}
            {organizationId !== undefined && (
              <Link to="/o/$organizationId/certificates" params={{ organizationId }} search={{ expiring: 30 }}>
                {t('issuing.calendar.expiring')}
              </Link>
            )}
          </>
        }
      />
      <div className="stack">
        {(failing.items?.length ?? 0) > 0 && (
          <>
            <h2 className="panel-title">{t('issuing.calendar.failing', { count: counts.data.failing })}</h2>
            <ItemTable<Renewal>
              label={t('issuing.calendar.failing', { count: counts.data.failing })}
              pages={failing}
              columns={columns.failing}
              rowKey={({ certificate_id }) => certificate_id}
              minWidth={900}
              empty={null}
            />
          </>
        )}
        <RenewalGrid counts={counts.data} chosen={day} onChoose={choose} />
        <div className="row">
          <h2 className="panel-title grow">
            {day === undefined ? t('issuing.calendar.coming') : t('issuing.calendar.ofDay', { day })}
          </h2>
          {day !== undefined && <Button onClick={() => choose(undefined)}>{t('issuing.calendar.allDays')}</Button>}
        </div>
        <ItemTable<Renewal>
          label={t('issuing.calendar.coming')}
          pages={planned}
          columns={columns.planned}
          rowKey={({ certificate_id }) => certificate_id}
          minWidth={760}
          empty={<EmptyState title={t('issuing.calendar.none')} lead={t('issuing.calendar.noneLead')} />}
        />
      </div>
    </>
  );
}

function useColumns(ofAll: boolean): { readonly failing: Column<Renewal>[]; readonly planned: Column<Renewal>[] } {
  const { t } = useTranslation();
  const name: Column<Renewal> = {
    title: t('certificates.columns.name'),
    cell: ({ organization_id, certificate_id, name: text }) => (
      <CertificateLink organizationId={organization_id} id={certificate_id} name={text} />
    ),
  };
  const organization: Column<Renewal>[] = ofAll
    ? [
        {
          title: t('shell.organization'),
          width: 180,
          cell: ({ organization_id }) => <OrganizationName organizationId={organization_id} />,
        },
      ]
    : [];
  const authority: Column<Renewal> = {
    title: t('issuing.request.authority'),
    width: 150,
    cell: ({ authority: { name: text } }) => text,
  };
  const expires: Column<Renewal> = {
    title: t('common.expires'),
    width: 210,
    cell: ({ expires_at }) => expires_at !== null && <ExpiryMark at={expires_at} />,
  };
  const next: Column<Renewal> = {
    title: t('certificates.columns.renewal'),
    width: 210,
    cell: ({ renewal }) => (
      <span className="row">
        {renewal.next_at === null ? <RenewalMark renewal={renewal} /> : <Instant at={renewal.next_at} />}
      </span>
    ),
  };
  const error: Column<Renewal> = {
    title: t('certificates.columns.lastError'),
    width: 320,
    cell: ({ renewal: { last_error } }) => <span className="break-anywhere">{last_error}</span>,
  };
  return {
    failing: [name, ...organization, error, { ...next, title: t('issuing.calendar.nextTry') }, expires],
    planned: [name, ...organization, next, authority, expires],
  };
}
