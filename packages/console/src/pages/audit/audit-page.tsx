import { getRouteApi } from '@tanstack/react-router';
import {
  listAudit,
  listInstanceAudit,
  verifyAudit,
} from '@waxwing/contract/management-api/operations/audit-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { AuditEntry } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ExportCsv, type ExportCsvProps } from '../../parts/tables/export-csv.tsx';
import type { ItemPages } from '../../parts/tables/item-table.tsx';
import { narrowed } from '../../parts/tables/list-filters.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { AuditFilterBar, type AuditFilterBarProps } from './audit-filter-bar.tsx';
import type { AuditFilters } from './audit-filters.ts';
import { AuditTable } from './audit-table.tsx';
import { actionName } from './audit-words.ts';
import { VerifyButton } from './verify-button.tsx';

/** Sign-ins, exports and refusals send no notice, so the page reads the trail again this often. */
const auditRefreshMs = 30_000;

const ofOrganization = getRouteApi('/frame/o/$organizationId/audit');
const ofInstance = getRouteApi('/frame/instance/audit');

export function OrganizationAuditPage() {
  const navigate = ofOrganization.useNavigate();
  const { organizationId } = ofOrganization.useParams();
  const filters = ofOrganization.useSearch();
  const input = { params: { organization_id: organizationId }, query: filters };
  const pages = usePages(listAudit, input, { refetchInterval: auditRefreshMs });
  return (
    <AuditPage
      pages={pages}
      filters={filters}
      organizationId={organizationId}
      onFilters={(search) => void navigate({ to: '.', search, replace: true })}
    />
  );
}

export function InstanceAuditPage() {
  const navigate = ofInstance.useNavigate();
  const filters = ofInstance.useSearch();
  const { organization, ...rest } = filters;
  const input = { query: { ...rest, ...(organization !== undefined && { organization_id: organization }) } };
  const pages = usePages(listInstanceAudit, input, { refetchInterval: auditRefreshMs });
  return (
    <AuditPage
      pages={pages}
      filters={filters}
      onFilters={(search) => void navigate({ to: '.', search, replace: true })}
    />
  );
}

interface AuditPageProps {
  readonly pages: ItemPages<AuditEntry> & ExportCsvProps<AuditEntry>['pages'];
  readonly filters: AuditFilters;
  /** Left out: of the whole instance. */
  readonly organizationId?: string;
  readonly onFilters: (filters: AuditFilters) => void;
}

function AuditPage({ pages, filters, organizationId, onFilters }: AuditPageProps) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const filter: AuditFilterBarProps['onFilter'] = (change) => onFilters(narrowed(filters, change));
  const clear = () => onFilters({});
  const isOfInstance = organizationId === undefined;
  return (
    <>
      <PageHead
        title={t('menu.audit')}
        lead={t(isOfInstance ? 'audit.instanceLead' : 'audit.lead')}
        actions={
          <>
            <ExportCsv<AuditEntry>
              fileName="audit"
              pages={pages}
              columns={[
                [t('common.when'), ({ at }) => at],
                [t('audit.columns.actor'), ({ actor_name }) => actor_name],
                [t('audit.columns.action'), ({ action }) => actionName(t, action)],
                [t('audit.columns.subject'), ({ subject_name }) => subject_name?.name ?? null],
                ['actor', ({ actor }) => actor],
                ['action', ({ action }) => action],
                ['subject', ({ subject }) => subject],
                [t('shell.organization'), ({ organization_id }) => organization_id],
                [t('audit.columns.detail'), ({ detail }) => JSON.stringify(detail)],
                [t('audit.link'), ({ link }) => link],
              ]}
            />
            {isOfInstance && may(verifyAudit) && <VerifyButton />}
          </>
        }
      />
      <AuditFilterBar
        filters={filters}
        organizationId={organizationId}
        entries={pages.items ?? []}
        onFilter={filter}
        onClear={clear}
      />
      <AuditTable
        pages={pages}
        organizationId={organizationId}
        isFiltered={Object.keys(filters).length > 0}
        onFilter={filter}
        onClear={clear}
      />
    </>
  );
}
