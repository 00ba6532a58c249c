import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { belongsTo } from '../../api/me.ts';
import { useMe } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useOrganization } from '../../parts/organization-name.tsx';

/** The pages of an organization. One that is suspended says so above each of them, and what that means. */
export function OrganizationOutlet() {
  const { organizationId }: { organizationId?: string } = useParams({ strict: false });
  // Also while one of its pages is shown: membership may end at any time.
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
  return (
    <EmptyState title={t('shell.noMember')} action={toStart}>
      {t('shell.noMemberLead')}
    </EmptyState>
  );
}
