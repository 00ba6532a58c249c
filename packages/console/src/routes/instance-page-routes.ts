import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { withLaterTexts } from '../i18n/language.ts';
import { auditFilters } from '../pages/audit/audit-filters.ts';
import { accountFilters } from '../pages/instance/account-filters.ts';
import { blockedFilter } from '../pages/messaging-lists/number-filter.ts';
import { instance } from './frame-routes.ts';
import { textOf } from './search-params.ts';

const instanceHealth = createRoute({
  getParentRoute: () => instance,
  path: '/health',
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/instance/instance-page.tsx')), 'InstancePage'),
});

const carriers = createRoute({
  getParentRoute: () => instance,
  path: '/carriers',
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/instance/carrier-list-page.tsx')),
    'CarrierListPage',
  ),
});

const inboundRoutes = createRoute({
  getParentRoute: () => instance,
  path: '/routes',
  validateSearch: ({ number }: Record<string, unknown>): { number?: string } => textOf('number', number),
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/instance/route-list-page.tsx')), 'RouteListPage'),
});

const unmatchedReplies = createRoute({
  getParentRoute: () => instance,
  path: '/replies',
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/instance/unmatched-reply-page.tsx')),
    'UnmatchedReplyPage',
  ),
});

const instanceBlocked = createRoute({
  getParentRoute: () => instance,
  path: '/blocked',
  validateSearch: blockedFilter,
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/instance/instance-blocked-page.tsx')),
    'InstanceBlockedPage',
  ),
});

const instanceAccounts = createRoute({
  getParentRoute: () => instance,
  path: '/accounts',
  validateSearch: accountFilters,
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/instance/account-list-page.tsx')),
    'AccountListPage',
  ),
});

const instanceAudit = createRoute({
  getParentRoute: () => instance,
  path: '/audit',
  validateSearch: auditFilters,
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/audit/audit-page.tsx')), 'InstanceAuditPage'),
});

const instanceKeys = createRoute({
  getParentRoute: () => instance,
  path: '/management-keys',
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/management-keys/management-key-pages.tsx')),
    'InstanceKeysPage',
  ),
});

export const instanceRoutes = [
  instanceHealth,
  carriers,
  inboundRoutes,
  unmatchedReplies,
  instanceBlocked,
  instanceAccounts,
  instanceAudit,
  instanceKeys,
] as const;
