import { CloudServerOutlined, ImportOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { importCertificate, listCertificates } from '@waxwing/contract/management-api/certificate-operations.ts';
import { createDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Button, Select, type TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { Certificate } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExpiryMark } from '../../parts/expiry-mark.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { narrowed } from '../../parts/narrowed.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type CertificateFilters, certificateListInput, certificateStates } from './certificate-filters.ts';
import { Domains, StateMark } from './certificate-marks.tsx';
import { isHandedOut, shownState } from './certificate-state.ts';
import { DownloadMenu } from './download-menu.tsx';
import { useDeploymentCounts } from './use-deployment-counts.ts';

/** Of one with very many domains a list tells the first. */
function domainsText({ domains, domain_count: count }: Certificate): string {
  const more = count - domains.length;
  return domains.join(' ') + (more > 0 ? ` +${more}` : '');
}

const route = getRouteApi('/frame/o/$organizationId/certificates');
const expiryChoices = [7, 30, 90] as const;

export function CertificateListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const input = certificateListInput(organizationId, filters, Date.now());
  const pages = usePages(listCertificates, input);
  const isFiltered = Object.keys(filters).length > 0;

  function filter(change: { [Name in keyof CertificateFilters]?: CertificateFilters[Name] | undefined }): void {
    const search = narrowed(filters, change);
    void navigate({ to: '/o/$organizationId/certificates', params: { organizationId }, search, replace: true });
  }

  const importButton = may(importCertificate) && (
    <Button
      type="primary"
      icon={<ImportOutlined />}
      onClick={() => void navigate({ to: '/o/$organizationId/certificates/import', params: { organizationId } })}
    >
      {t('certificates.import.button')}
    </Button>
  );

  return (
    <>
      <PageHead
        title={t('certificates.title')}
        lead={t('certificates.lead')}
        actions={
          <>
            <ExportCsv<Certificate>
              fileName="certificates"
              items={(signal) => everyItem(api, listCertificates, input, signal)}
              columns={[
                [t('certificates.columns.name'), ({ name }) => name],
                [t('certificates.columns.domains'), domainsText],
                [t('certificates.columns.state'), (one) => t(`certificates.states.${shownState(one, Date.now())}`)],
                [t('certificates.columns.expires'), ({ expires_at }) => expires_at],
                [t('certificates.columns.source'), ({ source }) => t(`certificates.sources.${source}`)],
                [t('certificates.columns.created'), ({ created_at }) => created_at],
                ['id', ({ id }) => id],
              ]}
            />
            {importButton}
          </>
        }
      />
      <FilterBar inUse={Object.keys(filters).length}>
        <SearchField
          label={t('certificates.search')}
          value={filters.search ?? ''}
          onSearch={(search) => filter({ search: search === '' ? undefined : search })}
        />
        <Select
          aria-label={t('certificates.columns.state')}
          className="filter-choice"
          allowClear
          placeholder={t('certificates.anyState')}
          value={filters.state}
          options={certificateStates.map((value) => ({ value, label: t(`certificates.states.${value}`) }))}
          onChange={(state?: CertificateFilters['state']) => filter({ state })}
        />
        <Select
          aria-label={t('certificates.columns.expires')}
          className="filter-choice"
          allowClear
          placeholder={t('certificates.anyExpiry')}
          value={filters.expiring}
          options={expiryChoices.map((value) => ({ value, label: t('certificates.expiringWithin', { count: value }) }))}
          onChange={(expiring?: number) => filter({ expiring })}
        />
      </FilterBar>
      <ItemTable<Certificate>
        label={t('certificates.title')}
        pages={pages}
        columns={useColumns(organizationId, pages.items ?? [])}
        rowKey={({ id }) => id}
        minWidth={980}
        empty={
          isFiltered ? (
            <EmptyState
              title={t('certificates.noneFound')}
              action={
                <Button
                  onClick={() =>
                    void navigate({ to: '/o/$organizationId/certificates', params: { organizationId }, search: {} })
                  }
                >
                  {t('common.clearFilters')}
                </Button>
              }
            />
          ) : (
            <EmptyState title={t('certificates.none')} action={importButton}>
              {t('certificates.noneLead')}
            </EmptyState>
          )
        }
      />
    </>
  );
}

function useColumns(organizationId: string, items: readonly Certificate[]): TableColumnType<Certificate>[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const countOf = useDeploymentCounts(organizationId, items);
  return [
    {
      title: t('certificates.columns.name'),
      key: 'name',
      render: (_value, certificate) => (
        <div>
          <Link
            to="/o/$organizationId/certificates/$certificateId"
            params={{ organizationId, certificateId: certificate.id }}
          >
            {certificate.name}
          </Link>
          <div className="quiet small">
            <Domains certificate={certificate} />
          </div>
        </div>
      ),
    },
    {
      title: t('certificates.columns.state'),
      key: 'state',
      width: 130,
      render: (_v, certificate) => <StateMark certificate={certificate} />,
    },
    {
      title: t('certificates.columns.expires'),
      key: 'expires',
      width: 220,
      render: (_value, { expires_at }) => expires_at !== null && <ExpiryMark at={expires_at} />,
    },
    {
      title: t('certificates.columns.source'),
      key: 'source',
      width: 90,
      render: (_value, { source }) => t(`certificates.sources.${source}`),
    },
    {
      title: t('certificates.columns.deployments'),
      key: 'deployments',
      width: 110,
      align: 'right',
      render: (_value, { id }) => {
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
      key: 'actions',
      width: 210,
      render: (_value, certificate) => (
        <span className="row one-line">
          <DownloadMenu certificate={certificate} size="small" />
          {may(createDeployment) && isHandedOut(certificate) && (
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
