import { Navigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMe } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { organizationHome } from './organization-home.ts';
import { recentOrganization } from './recent-organization.ts';

/** Leads to where one was last; whoever belongs nowhere yet is told what comes next. */
export function StartPage() {
  const { t } = useTranslation();
  const me = useMe();
  const organizationId = recentOrganization(me);
  if (organizationId !== undefined) {
    return <Navigate to={organizationHome(me)} params={{ organizationId }} replace />;
  }
  if (me.operator) return <Navigate to="/organizations" replace />;
  return <EmptyState title={t('shell.noOrganization')}>{t('shell.noOrganizationLead')}</EmptyState>;
}
