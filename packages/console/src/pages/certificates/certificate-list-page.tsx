import { CloudServerOutlined, ImportOutlined, SafetyCertificateOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import {
  importCertificate,
  listCertificates,
  requestCertificate,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { createDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { Certificate } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { CertificateLink } from '../../parts/marks/thing-link.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { FilterBar, FilterChoice } from '../../parts/tables/filter-bar.tsx';
import { type FilterChange, narrowed } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { type CertificateFilters, certificateListInput, certificateStates } from './certificate-filters.ts';
import { Domains, RemarkMarks, StateMark } from './certificate-marks.tsx';
import { isDeployable, shownState } from './certificate-state.ts';
import { DownloadMenu } from './download-menu.tsx';
import { NextRenewal } from './renewal-mark.tsx';
import { useDeploymentCounts } from './use-deployment-counts.ts';

/** A list holds only the first of very many domains. */
function domainsText({ domains, domain_count: count }: Certificate): string {
  const more = count - domains.length;
  return domains.join(' ') + (more > 0 ? ` +${more}` : '');
}

const route = getRouteApi('/frame/o/$organizationId/certificates');
const expiryChoices = [7, 30, 90] as const;

export function CertificateListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const input = certificateListInput(organizationId, filters, Date.now());
  const pages = usePages(listCertificates, input);
  const isFiltered = Object.keys(filters).length > 0;

  function filter(change: FilterChange<CertificateFilters>): void {
    const search = narrowed(filters, change);
    void navigate({ to: '.', search, replace: true });
  }

  const addButtons = (
    <span className="row">
      {may(importCertificate) && (
        <Button
          icon={<ImportOutlined />}
          onClick={() => void navigate({ to: '/o/$organizationId/certificates/import', params: { organizationId } })}
        >
          {t('certificates.import.button')}
        </Button>
      )}
      {may(requestCertificate) && (
        <Button
          type="primary"
          icon={<SafetyCertificateOutlined />}
          onClick={() => void navigate({ to: '/o/$organizationId/certificates/request', params: { organizationId } })}
        >
          {t('certificates.requestButton')}
        </Button>
      )}
    </span>
  );

  return (
    <ListPage<Certificate>
      title={t('menu.certificateManagement')}
      lead={t('certificates.lead')}
      pages={pages}
      csv={{
        fileName: 'certificates',
        columns: [
          [t('certificates.columns.name'), ({ name }) => name],
          [t('certificates.columns.domains'), domainsText],
          [t('common.state'), (one) => t(`certificates.states.${shownState(one, Date.now())}`)],
          [t('common.expires'), ({ expires_at }) => expires_at],
          [t('certificates.columns.source'), ({ source }) => t(`certificates.sources.${source}`)],
          [t('certificates.issuer'), ({ authority }) => authority?.name ?? null],
          [t('certificates.columns.renewal'), ({ renewal }) => renewal?.next_at ?? null],
          [t('certificates.columns.lastError'), ({ renewal }) => renewal?.last_error ?? null],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={addButtons}
      filters={
        <FilterBar inUse={Object.keys(filters).length}>
          <SearchField
            label={t('certificates.search')}
            value={filters.search}
            onSearch={(search) => filter({ search })}
          />
          <FilterChoice
            label={t('common.state')}
            any={t('certificates.anyState')}
            value={filters.state}
            choices={certificateStates.map((value) => ({ value, label: t(`certificates.states.${value}`) }))}
            onChange={(state) => filter({ state })}
          />
          <FilterChoice
            label={t('common.expires')}
            any={t('certificates.anyExpiry')}
            value={filters.expiring}
            choices={expiryChoices.map((value) => ({
              value,
              label: t('certificates.expiringWithin', { count: value }),
            }))}
            onChange={(expiring) => filter({ expiring })}
          />
        </FilterBar>
      }
      columns={useColumns(organizationId, pages.items ?? [])}
      rowKey={({ id }) => id}
      minWidth={1020}
      none={{ title: t('certificates.none'), lead: t('certificates.noneLead') }}
      noneFound={
        isFiltered && {
          title: t('certificates.noneFound'),
          onClear: () => void navigate({ to: '.', search: {} }),
        }
      }
    />
  );
}

function useColumns(organizationId: string, items: readonly Certificate[]): Column<Certificate>[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const countOf = useDeploymentCounts(organizationId, items);
  return [
    {
      title: t('certificates.columns.name'),
      cell: (certificate) => (
        <div>
          <CertificateLink organizationId={organizationId} id={certificate.id} name={certificate.name} />
          <div className="quiet small">
            <Domains certificate={certificate} />
          </div>
        </div>
      ),
    },
    {
      title: t('common.state'),
      width: 130,
      cell: (certificate) => (
        <span className="row">
          <StateMark certificate={certificate} />
          <RemarkMarks certificate={certificate} />
        </span>
      ),
    },
    {
      title: t('common.expires'),
      width: 200,
      cell: ({ expires_at }) => expires_at !== null && <ExpiryMark at={expires_at} />,
    },
    {
      title: t('certificates.columns.sourceAndRenewal'),
      width: 200,
      cell: ({ source, authority, renewal }) => (
        <div>
          {authority?.name ?? t(`certificates.sources.${source}`)}
          {renewal !== null && <NextRenewal renewal={renewal} />}
        </div>
      ),
    },
    {
      title: t('certificates.columns.deployments'),
      width: 110,
      align: 'right',
      cell: ({ id }) => {
        const count = countOf(id);
        if (count === undefined) return null;
        return count === 0 ? (
          <span className="quiet">0</span>
        ) : (
          <Link
            to="/o/$organizationId/certificates/$certificateId"
            params={{ organizationId, certificateId: id }}
            search={{ tab: 'deployments' }}
          >
            {count}
          </Link>
        );
      },
    },
    {
      title: t('common.actions'),
      width: 210,
      cell: (certificate) => (
        <span className="row one-line">
          <DownloadMenu certificate={certificate} size="small" />
          {may(createDeployment) && isDeployable(certificate) && (
            <Button
              size="small"
              icon={<CloudServerOutlined />}
              aria-label={t('certificates.deployNamed', { name: certificate.name })}
              onClick={() =>
                void navigate({
                  to: '/o/$organizationId/certificates/$certificateId/deploy',
                  params: { organizationId, certificateId: certificate.id },
                })
              }
            >
              {t('certificates.deploy')}
            </Button>
          )}
        </span>
      ),
    },
  ];
}
