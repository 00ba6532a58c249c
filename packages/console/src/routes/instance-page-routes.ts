import { createRoute } from '@tanstack/react-router';
import { alertFilters } from '../pages/alerts/alert-filters.ts';
import { auditFilters } from '../pages/audit/audit-filters.ts';
import { accountFilters } from '../pages/instance/account-filters.ts';
import { renewalFilters } from '../pages/issuing/renewal-filters.ts';
import { blockedFilter } from '../pages/messaging-lists/number-filter.ts';
import { filtersFrom, searchText } from '../parts/tables/list-filters.ts';
import { instance } from './frame-routes.ts';
import { laterPage } from './later-page.ts';

export const instanceRoutes = [
  createRoute({
    getParentRoute: () => instance,
    path: '/health',
    component: laterPage(() => import('../pages/instance/instance-page.tsx'), 'InstancePage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/renewals',
    validateSearch: renewalFilters,
    component: laterPage(() => import('../pages/issuing/renewal-calendar-page.tsx'), 'RenewalCalendarPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/carriers',
    component: laterPage(() => import('../pages/carriers/carrier-list-page.tsx'), 'CarrierListPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/carriers/$carrierId',
    component: laterPage(() => import('../pages/carriers/carrier-page.tsx'), 'CarrierPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/routes',
    validateSearch: filtersFrom({ number: searchText }),
    component: laterPage(() => import('../pages/instance/route-list-page.tsx'), 'RouteListPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/replies',
    component: laterPage(() => import('../pages/instance/unmatched-reply-page.tsx'), 'UnmatchedReplyPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/blocked',
    validateSearch: blockedFilter,
    component: laterPage(() => import('../pages/messaging-lists/blocked-page.tsx'), 'BlockedPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/accounts',
    validateSearch: accountFilters,
    component: laterPage(() => import('../pages/instance/account-list-page.tsx'), 'AccountListPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/alerts',
    validateSearch: alertFilters,
    component: laterPage(() => import('../pages/alerts/alert-list-page.tsx'), 'AlertListPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/alert-channels',
    component: laterPage(() => import('../pages/alerts/alert-channel-list-page.tsx'), 'AlertChannelListPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/authorities',
    component: laterPage(() => import('../pages/authorities/authority-list-page.tsx'), 'AuthorityListPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/audit',
    validateSearch: auditFilters,
    component: laterPage(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: '/management-keys',
    component: laterPage(
      () => import('../pages/management-keys/management-key-list-page.tsx'),
      'ManagementKeyListPage',
    ),
  }),
] as const;
