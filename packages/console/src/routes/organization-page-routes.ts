import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listCertificates } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { askForPages } from '../api/pages-query.ts';
import { auditFilters } from '../pages/audit/audit-filters.ts';
import { certificateFilters, certificateListInput } from '../pages/certificates/certificate-filters.ts';
import { filtersFrom, oneOf, searchText, switchedOn } from '../parts/tables/list-filters.ts';
import { organization } from './frame-routes.ts';
import { laterPage } from './later-page.ts';

const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: laterPage(() => import('../pages/accounts/member-list-page.tsx'), 'MemberListPage'),
});

const certificates = createRoute({
  getParentRoute: () => organization,
  path: '/certificates',
  validateSearch: certificateFilters,
  beforeLoad: ({ context, params: { organizationId }, search }) =>
    askForPages(context, listCertificates, certificateListInput(organizationId, search, Date.now())),
  component: lazyRouteComponent(() => import('../pages/certificates/certificate-list-page.tsx'), 'CertificateListPage'),
});

const importCertificate = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/import',
  validateSearch: ({ onto }: Record<string, unknown>): { onto?: string } => (typeof onto === 'string' ? { onto } : {}),
  component: laterPage(() => import('../pages/certificates/import-page.tsx'), 'ImportPage'),
});

const certificate = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/$certificateId',
  validateSearch: filtersFrom({
    tab: oneOf(['versions', 'chain', 'deployments', 'retrievals']),
    outdated: switchedOn,
  }),
  component: laterPage(() => import('../pages/certificates/certificate-page.tsx'), 'CertificatePage'),
});

const deploy = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/$certificateId/deploy',
  component: laterPage(() => import('../pages/deployments/deploy-page.tsx'), 'DeployPage'),
});

const deployments = createRoute({
  getParentRoute: () => organization,
  path: '/deployments',
  validateSearch: filtersFrom({ search: searchText, outdated: switchedOn }),
  component: laterPage(() => import('../pages/deployments/deployment-list-page.tsx'), 'DeploymentListPage'),
});

const deployment = createRoute({
  getParentRoute: () => organization,
  path: '/deployments/$deploymentId',
  validateSearch: filtersFrom({ tab: oneOf(['retrievals', 'refusals']) }),
  component: laterPage(() => import('../pages/deployments/deployment-page.tsx'), 'DeploymentPage'),
});

const organizationKeys = createRoute({
  getParentRoute: () => organization,
  path: '/management-keys',
  component: laterPage(() => import('../pages/management-keys/management-key-pages.tsx'), 'OrganizationKeysPage'),
});

const organizationAudit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: auditFilters,
  component: laterPage(() => import('../pages/audit/audit-page.tsx'), 'OrganizationAuditPage'),
});

/** The pages of an organization that belong to the certificate half. */
export const certificateRoutes = [
  certificates,
  importCertificate,
  certificate,
  deploy,
  deployments,
  deployment,
] as const;
/** Pages that every organization has, whichever module is switched on. */
export const organizationRoutes = [members, organizationKeys, organizationAudit] as const;
