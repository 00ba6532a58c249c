import { createRoute } from '@tanstack/react-router';
import { listMessages } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { listPushes } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { askForPages } from '../api/pages-query.ts';
import { messageFilters, messageListInput } from '../pages/messages/message-filters.ts';
import { replyFilters } from '../pages/messages/reply-filters.ts';
import { blockedFilter, numberFilter } from '../pages/messaging-lists/number-filter.ts';
import { pushFilters, pushListInput, pushSettingView } from '../pages/push/push-filters.ts';
import { organization } from './frame-routes.ts';
import { laterPage } from './later-page.ts';

export const pushRoutes = [
  createRoute({
    getParentRoute: () => organization,
    path: '/push-settings',
    validateSearch: pushSettingView,
    component: laterPage(() => import('../pages/push-settings/push-setting-page.tsx'), 'PushSettingPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/pushes',
    validateSearch: pushFilters,
    beforeLoad: ({ context, params: { organizationId }, search }) =>
      askForPages(context, listPushes, pushListInput(organizationId, search)),
    component: laterPage(() => import('../pages/push/push-list-page.tsx'), 'PushListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/pushes/$pushId',
    component: laterPage(() => import('../pages/push/push-page.tsx'), 'PushPage'),
  }),
] as const;

export const messagingRoutes = [
  createRoute({
    getParentRoute: () => organization,
    path: '/messages',
    validateSearch: messageFilters,
    beforeLoad: ({ context, params: { organizationId }, search }) =>
      askForPages(context, listMessages, messageListInput(organizationId, search)),
    component: laterPage(() => import('../pages/messages/message-list-page.tsx'), 'MessageListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messages/send',
    component: laterPage(() => import('../pages/messages/send-page.tsx'), 'SendPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messages/$batchId',
    component: laterPage(() => import('../pages/messages/batch-page.tsx'), 'BatchPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messages/$batchId/$position',
    component: laterPage(() => import('../pages/messages/timeline-page.tsx'), 'TimelinePage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/replies',
    validateSearch: replyFilters,
    component: laterPage(() => import('../pages/messages/reply-list-page.tsx'), 'ReplyListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/opt-outs',
    validateSearch: numberFilter,
    component: laterPage(() => import('../pages/messaging-lists/opt-out-list-page.tsx'), 'OptOutListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/blocked',
    validateSearch: blockedFilter,
    component: laterPage(() => import('../pages/messaging-lists/blocked-page.tsx'), 'BlockedPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messaging-keys',
    component: laterPage(() => import('../pages/messaging-keys/messaging-key-list-page.tsx'), 'MessagingKeyListPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messaging-keys/new',
    component: laterPage(
      () => import('../pages/messaging-keys/create-messaging-key-page.tsx'),
      'CreateMessagingKeyPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messaging-keys/$messagingKeyId',
    component: laterPage(() => import('../pages/messaging-keys/messaging-key-page.tsx'), 'MessagingKeyPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/messaging-settings',
    component: laterPage(
      () => import('../pages/messaging-settings/messaging-settings-page.tsx'),
      'MessagingSettingsPage',
    ),
  }),
] as const;
