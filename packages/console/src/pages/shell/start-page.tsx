import { Navigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../../api/use-me.ts';
import { takeAwaitedPage } from '../../parts/awaited-page.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { organizationHome } from './organization-home.ts';
import { recentOrganization } from './recent-organization.ts';

/** Leads to what was wanted before signing in, else to where one was last; whoever belongs nowhere yet is told what comes next. */
export function StartPage() {
  const { t } = useTranslation();
  const me = useMe();
  const { history } = useRouter();
  const [awaited] = useState(takeAwaitedPage);
  useEffect(() => {
    if (awaited !== undefined) history.replace(`/console${awaited}`);
  }, [awaited, history]);
  if (awaited !== undefined) return null;
  const organizationId = recentOrganization(me);
  if (organizationId !== undefined) {
    return <Navigate to={organizationHome(me)} params={{ organizationId }} replace />;
  }
  if (me.operator) return <Navigate to="/organizations" replace />;
  return <EmptyState title={t('shell.noOrganization')}>{t('shell.noOrganizationLead')}</EmptyState>;
}
