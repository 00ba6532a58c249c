import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listCertificates } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { askForPages } from '../api/pages-query.ts';
import { auditFilters } from '../pages/audit/audit-filters.ts';
import { certificateFilters, certificateListInput } from '../pages/certificates/certificate-filters.ts';
import { renewalFilters } from '../pages/issuing/renewal-filters.ts';
import { filtersFrom, oneOf, searchText, switchedOn } from '../parts/tables/list-filters.ts';
import { organization } from './frame-routes.ts';
import { laterPage } from './later-page.ts';

/** The pages of an organization that belong to the certificate half. */
export const certificateRoutes = [
  createRoute({
    getParentRoute: () => organization,
    path: '/certificates',
    validateSearch: certificateFilters,
    beforeLoad: ({ context, params: { organizationId }, search }) =>
      askForPages(context, listCertificates, certificateListInput(organizationId, search, Date.now())),
    component: lazyRouteComponent(
      () => import('../pages/certificates/certificate-list-page.tsx'),
      'CertificateListPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/certificates/import',
    validateSearch: ({ onto }: Record<string, unknown>): { onto?: string } =>
      typeof onto === 'string' ? { onto } : {},
    component: laterPage(() => import('../pages/certificates/import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/certificates/request',
    component: laterPage(() => import('../pages/issuing/request-page.tsx'), 'RequestPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/renewals',
    validateSearch: renewalFilters,
    component: laterPage(() => import('../pages/issuing/renewal-calendar-page.tsx'), 'RenewalCalendarPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/certificates/$certificateId',
    validateSearch: filtersFrom({
      tab: oneOf(['versions', 'chain', 'deployments', 'retrievals']),
      outdated: switchedOn,
    }),
    component: laterPage(() => import('../pages/certificates/certificate-page.tsx'), 'CertificatePage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/certificates/$certificateId/deploy',
    component: laterPage(() => import('../pages/deployments/deploy-page.tsx'), 'DeployPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/deployments',
    validateSearch: filtersFrom({ search: searchText, outdated: switchedOn }),
    component: laterPage(() => import('../pages/deployments/deployment-list-page.tsx'), 'DeploymentListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/deployments/$deploymentId',
    validateSearch: filtersFrom({ tab: oneOf(['retrievals', 'refusals']) }),
    component: laterPage(() => import('../pages/deployments/deployment-page.tsx'), 'DeploymentPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/dns-providers',
    component: laterPage(() => import('../pages/dns-providers/dns-provider-list-page.tsx'), 'DnsProviderListPage'),
  }),
] as const;

/** Pages that every organization has, whichever module is switched on. */
export const organizationRoutes = [
  createRoute({
    getParentRoute: () => organization,
    path: '/members',
    component: laterPage(() => import('../pages/accounts/member-list-page.tsx'), 'MemberListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/management-keys',
    component: laterPage(
      () => import('../pages/management-keys/management-key-list-page.tsx'),
      'ManagementKeyListPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/alerts',
    component: laterPage(() => import('../pages/alerts/alert-list-page.tsx'), 'AlertListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/alert-channels',
    component: laterPage(() => import('../pages/alerts/alert-channel-list-page.tsx'), 'AlertChannelListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/audit',
    validateSearch: auditFilters,
    component: laterPage(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
  }),
] as const;
