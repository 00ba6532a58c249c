import { Navigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { takeAwaitedPage } from '../../parts/text/awaited-page.ts';
import { organizationHome } from './organization-home.ts';
import { recentOrganization } from './recent-organization.ts';

/** Leads to the page wanted before signing in, else to the last organization. */
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
  return <EmptyState title={t('shell.noOrganization')} lead={t('shell.noOrganizationLead')} />;
}
