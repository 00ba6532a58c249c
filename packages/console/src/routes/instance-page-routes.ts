import { createRoute } from '@tanstack/react-router';
import { auditFilters } from '../pages/audit/audit-filters.ts';
import { accountFilters } from '../pages/instance/account-filters.ts';
import { blockedFilter } from '../pages/messaging-lists/number-filter.ts';
import { filtersFrom, searchText } from '../parts/tables/list-filters.ts';
import { instance } from './frame-routes.ts';
import { laterPage } from './later-page.ts';

const instanceHealth = createRoute({
  getParentRoute: () => instance,
  path: '/health',
  component: laterPage(() => import('../pages/instance/instance-page.tsx'), 'InstancePage'),
});

const carriers = createRoute({
  getParentRoute: () => instance,
  path: '/carriers',
  component: laterPage(() => import('../pages/instance/carrier-list-page.tsx'), 'CarrierListPage'),
});

const inboundRoutes = createRoute({
  getParentRoute: () => instance,
  path: '/routes',
  validateSearch: filtersFrom({ number: searchText }),
  component: laterPage(() => import('../pages/instance/route-list-page.tsx'), 'RouteListPage'),
});

const unmatchedReplies = createRoute({
  getParentRoute: () => instance,
  path: '/replies',
  component: laterPage(() => import('../pages/instance/unmatched-reply-page.tsx'), 'UnmatchedReplyPage'),
});

const instanceBlocked = createRoute({
  getParentRoute: () => instance,
  path: '/blocked',
  validateSearch: blockedFilter,
  component: laterPage(() => import('../pages/messaging-lists/blocked-pages.tsx'), 'InstanceBlockedPage'),
});

const instanceAccounts = createRoute({
  getParentRoute: () => instance,
  path: '/accounts',
  validateSearch: accountFilters,
  component: laterPage(() => import('../pages/instance/account-list-page.tsx'), 'AccountListPage'),
});

const instanceAudit = createRoute({
  getParentRoute: () => instance,
  path: '/audit',
  validateSearch: auditFilters,
  component: laterPage(() => import('../pages/audit/audit-page.tsx'), 'InstanceAuditPage'),
});

const instanceKeys = createRoute({
  getParentRoute: () => instance,
  path: '/management-keys',
  component: laterPage(() => import('../pages/management-keys/management-key-pages.tsx'), 'InstanceKeysPage'),
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
