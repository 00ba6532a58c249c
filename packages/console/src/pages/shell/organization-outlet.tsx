import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { belongsTo } from '../../api/me.ts';
import { useMe } from '../../api/use-me.ts';
import { useOrganization } from '../../parts/marks/organization-name.tsx';
import { EmptyState } from '../../parts/tables/empty-state.tsx';

/** The pages of an organization. A suspended one says so above each of them. */
export function OrganizationOutlet() {
  const { organizationId }: { organizationId?: string } = useParams({ strict: false });
  // Checked while a page is shown: membership may end at any time.
  return belongsTo(useMe(), organizationId) ? <Pages organizationId={organizationId} /> : <NoMember />;
}

function Pages({ organizationId }: { readonly organizationId: string | undefined }) {
  const { t } = useTranslation();
  const { organization } = useOrganization(organizationId);
  return (
    <>
      {organization?.suspended === true && (
        <Alert
          type="warning"
          showIcon
          style={{ marginBlockEnd: 16 }}
          title={t('shell.suspended')}
          description={t('shell.suspendedWhat')}
        />
      )}
      <Outlet />
    </>
  );
}

function NoMember() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const toStart = (
    <Button type="primary" onClick={() => void navigate({ to: '/' })}>
      {t('shell.toStart')}
    </Button>
  );
  return <EmptyState title={t('shell.noMember')} action={toStart} lead={t('shell.noMemberLead')} />;
}
