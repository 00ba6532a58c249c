import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listCertificates } from '@waxwing/contract/management-api/certificate-operations.ts';
import { askForPages } from '../api/pages-query.ts';
import { withLaterTexts } from '../i18n/language.ts';
import { auditFilters } from '../pages/audit/audit-filters.ts';
import { certificateFilters, certificateListInput } from '../pages/certificates/certificate-filters.ts';
import { organization } from './frame-routes.ts';
import { oneOf, textOf } from './search-params.ts';

const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/accounts/member-list-page.tsx')),
    'MemberListPage',
  ),
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
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/certificates/import-page.tsx')), 'ImportPage'),
});

const tabs = ['versions', 'chain', 'deployments', 'retrievals'] as const;

const certificate = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/$certificateId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: (typeof tabs)[number] } => oneOf('tab', tab, tabs),
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/certificates/certificate-page.tsx')),
    'CertificatePage',
  ),
});

const deploy = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/$certificateId/deploy',
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/deployments/deploy-page.tsx')), 'DeployPage'),
});

const deployments = createRoute({
  getParentRoute: () => organization,
  path: '/deployments',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } => textOf('search', search),
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/deployments/deployment-list-page.tsx')),
    'DeploymentListPage',
  ),
});

const deploymentTabs = ['retrievals', 'refusals'] as const;

const deployment = createRoute({
  getParentRoute: () => organization,
  path: '/deployments/$deploymentId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: (typeof deploymentTabs)[number] } =>
    oneOf('tab', tab, deploymentTabs),
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/deployments/deployment-page.tsx')),
    'DeploymentPage',
  ),
});

const organizationKeys = createRoute({
  getParentRoute: () => organization,
  path: '/management-keys',
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/management-keys/management-key-pages.tsx')),
    'OrganizationKeysPage',
  ),
});

const organizationAudit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: auditFilters,
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/audit/audit-page.tsx')), 'OrganizationAuditPage'),
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
/** Those that every organization has, whichever half is switched on. */
export const organizationRoutes = [members, organizationKeys, organizationAudit] as const;
