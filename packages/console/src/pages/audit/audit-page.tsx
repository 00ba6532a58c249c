import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  listAudit,
  listInstanceAudit,
  verifyAudit,
} from '@waxwing/contract/management-api/operations/audit-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { AuditEntry } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ExportCsv } from '../../parts/tables/export-csv.tsx';
import { narrowed } from '../../parts/tables/list-filters.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { AuditFilterBar, type AuditFilterBarProps } from './audit-filter-bar.tsx';
import { type AuditFilters, auditFilters } from './audit-filters.ts';
import { AuditTable } from './audit-table.tsx';
import { actionName } from './audit-words.ts';
import { VerifyButton } from './verify-button.tsx';

/** Sign-ins, exports and refusals send no notice, so the page reads the trail again this often. */
const auditRefreshMs = 30_000;

/** The audit trail of an organization, or of the whole instance. */
export function AuditPage() {
  const { t } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const filters = auditFilters(useSearch({ strict: false }));
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const isOfInstance = organizationId === undefined;
  const { organization, ...query } = filters;
  const ofOrganization = usePages(
    listAudit,
    { params: { organization_id: organizationId ?? '' }, query },
    { refetchInterval: auditRefreshMs, enabled: !isOfInstance },
  );
  const ofInstance = usePages(
    listInstanceAudit,
    { query: { ...query, ...(organization !== undefined && { organization_id: organization }) } },
    { refetchInterval: auditRefreshMs, enabled: isOfInstance },
  );
  const pages = isOfInstance ? ofInstance : ofOrganization;
  const show = (search: AuditFilters) => void navigate({ to: '.', search, replace: true });
  const filter: AuditFilterBarProps['onFilter'] = (change) => show(narrowed(filters, change));
  const clear = () => show({});
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
