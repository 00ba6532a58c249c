import { Outlet, useParams } from '@tanstack/react-router';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { useOrganization } from '../../parts/organization-name.tsx';

/** The pages of an organization. One that is suspended says so above each of them, and what that means. */
export function OrganizationOutlet() {
  const { t } = useTranslation();
  const { organizationId }: { organizationId?: string } = useParams({ strict: false });
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
