import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiProblem } from './api/api-problem.ts';
import type { Api } from './api/call.ts';
import { meQuery } from './api/me.ts';
import { withLaterTexts } from './i18n/language.ts';
import { auditFilters } from './pages/audit/audit-filters.ts';
import { certificateFilters } from './pages/certificates/certificate-filters.ts';
import { accountFilters } from './pages/instance/account-filters.ts';
import { messageFilters } from './pages/messages/message-filters.ts';
import { replyFilters } from './pages/messages/reply-filters.ts';
import { blockedFilter, numberFilter } from './pages/messaging-lists/number-filter.ts';
import { pushFilters, pushSettingView } from './pages/push/push-filters.ts';
import { NotFoundPage } from './pages/shell/not-found-page.tsx';
import { PagePending } from './pages/shell/page-pending.tsx';
import { ProblemPage } from './pages/shell/problem-page.tsx';

interface RouterContext {
  readonly api: Api;
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => ownPath(next),
  component: lazyRouteComponent(() => import('./pages/accounts/sign-in-page.tsx'), 'SignInPage'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/accounts/welcome-page.tsx'), 'WelcomePage'),
});

/** Everything that needs somebody who is signed in. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  beforeLoad: async ({ context: { api, queryClient }, location }) => {
    try {
      await queryClient.ensureQueryData(meQuery(api));
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'unauthenticated') throw error;
      throw redirect({ to: '/sign-in', search: { next: location.href } });
    }
  },
  component: lazyRouteComponent(() => import('./pages/shell/console-frame.tsx'), 'ConsoleFrame'),
  errorComponent: ProblemPage,
});

const start = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/shell/start-page.tsx'), 'StartPage'),
});

const organizations = createRoute({
  getParentRoute: () => frame,
  path: '/organizations',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } => textOf('search', search),
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/organizations/organization-list-page.tsx')),
    'OrganizationListPage',
  ),
});

const account = createRoute({
  getParentRoute: () => frame,
  path: '/account',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/accounts/account-page.tsx')), 'AccountPage'),
});

const organization = createRoute({ getParentRoute: () => frame, path: '/o/$organizationId' });

const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/accounts/member-list-page.tsx')),
    'MemberListPage',
  ),
});

const certificates = createRoute({
  getParentRoute: () => organization,
  path: '/certificates',
  validateSearch: certificateFilters,
  component: lazyRouteComponent(() => import('./pages/certificates/certificate-list-page.tsx'), 'CertificateListPage'),
});

const importCertificate = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/import',
  validateSearch: ({ onto }: Record<string, unknown>): { onto?: string } => (typeof onto === 'string' ? { onto } : {}),
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/certificates/import-page.tsx')), 'ImportPage'),
});

const tabs = ['versions', 'chain', 'deployments', 'retrievals'] as const;

const certificate = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/$certificateId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: (typeof tabs)[number] } => oneOf('tab', tab, tabs),
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/certificates/certificate-page.tsx')),
    'CertificatePage',
  ),
});

const deploy = createRoute({
  getParentRoute: () => organization,
  path: '/certificates/$certificateId/deploy',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/deployments/deploy-page.tsx')), 'DeployPage'),
});

const deployments = createRoute({
  getParentRoute: () => organization,
  path: '/deployments',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } => textOf('search', search),
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/deployments/deployment-list-page.tsx')),
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
    () => withLaterTexts(import('./pages/deployments/deployment-page.tsx')),
    'DeploymentPage',
  ),
});

const pushSettings = createRoute({
  getParentRoute: () => organization,
  path: '/push-settings',
  validateSearch: pushSettingView,
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/push/push-setting-page.tsx')), 'PushSettingPage'),
});

const pushes = createRoute({
  getParentRoute: () => organization,
  path: '/pushes',
  validateSearch: pushFilters,
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/push/push-list-page.tsx')), 'PushListPage'),
});

const push = createRoute({
  getParentRoute: () => organization,
  path: '/pushes/$pushId',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/push/push-page.tsx')), 'PushPage'),
});

const pushRoutes = [pushSettings, pushes, push] as const;
// Messaging: what is sent and received, and by whom.

const messages = createRoute({
  getParentRoute: () => organization,
  path: '/messages',
  validateSearch: messageFilters,
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messages/message-list-page.tsx')),
    'MessageListPage',
  ),
});

const sendMessage = createRoute({
  getParentRoute: () => organization,
  path: '/messages/send',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/messages/send-page.tsx')), 'SendPage'),
});

const messageBatch = createRoute({
  getParentRoute: () => organization,
  path: '/messages/$batchId',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/messages/batch-page.tsx')), 'BatchPage'),
});

const messageTimeline = createRoute({
  getParentRoute: () => organization,
  path: '/messages/$batchId/$position',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/messages/timeline-page.tsx')), 'TimelinePage'),
});

const replies = createRoute({
  getParentRoute: () => organization,
  path: '/replies',
  validateSearch: replyFilters,
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/messages/reply-list-page.tsx')), 'ReplyListPage'),
});

const optOuts = createRoute({
  getParentRoute: () => organization,
  path: '/opt-outs',
  validateSearch: numberFilter,
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messaging-lists/opt-out-list-page.tsx')),
    'OptOutListPage',
  ),
});

const blocked = createRoute({
  getParentRoute: () => organization,
  path: '/blocked',
  validateSearch: blockedFilter,
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messaging-lists/blocked-page.tsx')),
    'BlockedPage',
  ),
});

const messagingKeys = createRoute({
  getParentRoute: () => organization,
  path: '/messaging-keys',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messaging-keys/messaging-key-list-page.tsx')),
    'MessagingKeyListPage',
  ),
});

const createMessagingKey = createRoute({
  getParentRoute: () => organization,
  path: '/messaging-keys/new',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messaging-keys/create-messaging-key-page.tsx')),
    'CreateMessagingKeyPage',
  ),
});

const messagingKey = createRoute({
  getParentRoute: () => organization,
  path: '/messaging-keys/$messagingKeyId',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messaging-keys/messaging-key-page.tsx')),
    'MessagingKeyPage',
  ),
});

const messagingSettings = createRoute({
  getParentRoute: () => organization,
  path: '/messaging-settings',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/messaging-settings/messaging-settings-page.tsx')),
    'MessagingSettingsPage',
  ),
});

const messagingRoutes = [
  messages,
  sendMessage,
  messageBatch,
  messageTimeline,
  replies,
  optOuts,
  blocked,
  messagingKeys,
  createMessagingKey,
  messagingKey,
  messagingSettings,
] as const;

const organizationKeys = createRoute({
  getParentRoute: () => organization,
  path: '/management-keys',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/management-keys/management-key-pages.tsx')),
    'OrganizationKeysPage',
  ),
});

const organizationAudit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: auditFilters,
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/audit/audit-page.tsx')), 'OrganizationAuditPage'),
});

const instance = createRoute({
  getParentRoute: () => frame,
  path: '/instance',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/instance/instance-outlet.tsx')), 'InstanceOutlet'),
});

const instanceHealth = createRoute({
  getParentRoute: () => instance,
  path: '/health',
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/instance/instance-page.tsx')), 'InstancePage'),
});

const carriers = createRoute({
  getParentRoute: () => instance,
  path: '/carriers',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/instance/carrier-list-page.tsx')),
    'CarrierListPage',
  ),
});

const inboundRoutes = createRoute({
  getParentRoute: () => instance,
  path: '/routes',
  validateSearch: ({ number }: Record<string, unknown>): { number?: string } => textOf('number', number),
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/instance/route-list-page.tsx')), 'RouteListPage'),
});

const unmatchedReplies = createRoute({
  getParentRoute: () => instance,
  path: '/replies',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/instance/unmatched-reply-page.tsx')),
    'UnmatchedReplyPage',
  ),
});

const instanceBlocked = createRoute({
  getParentRoute: () => instance,
  path: '/blocked',
  validateSearch: blockedFilter,
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/instance/instance-blocked-page.tsx')),
    'InstanceBlockedPage',
  ),
});

const instanceAccounts = createRoute({
  getParentRoute: () => instance,
  path: '/accounts',
  validateSearch: accountFilters,
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/instance/account-list-page.tsx')),
    'AccountListPage',
  ),
});

const instanceAudit = createRoute({
  getParentRoute: () => instance,
  path: '/audit',
  validateSearch: auditFilters,
  component: lazyRouteComponent(() => withLaterTexts(import('./pages/audit/audit-page.tsx')), 'InstanceAuditPage'),
});

const instanceKeys = createRoute({
  getParentRoute: () => instance,
  path: '/management-keys',
  component: lazyRouteComponent(
    () => withLaterTexts(import('./pages/management-keys/management-key-pages.tsx')),
    'InstanceKeysPage',
  ),
});

const routeTree = root.addChildren([
  signIn,
  welcome,
  frame.addChildren([
    start,
    organizations,
    account,
    instance.addChildren([
      instanceHealth,
      carriers,
      inboundRoutes,
      unmatchedReplies,
      instanceBlocked,
      instanceAccounts,
      instanceAudit,
      instanceKeys,
    ]),
    organization.addChildren([
      members,
      certificates,
      importCertificate,
      certificate,
      deploy,
      deployments,
      deployment,
      ...pushRoutes,
      ...messagingRoutes,
      organizationKeys,
      organizationAudit,
    ]),
  ]),
]);

export function createConsoleRouter(context: RouterContext) {
  const router = createRouter({
    routeTree,
    basepath: '/console',
    context,
    defaultPreload: 'intent',
    defaultPendingComponent: PagePending,
    defaultErrorComponent: ProblemPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
  // The code of the page comes while the server is asked who is signed in; what fails is asked for again when it is needed.
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => undefined);
  return router;
}

/** A path of the console; nothing else is gone to after signing in, whatever a link says. */
function ownPath(next: unknown): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

/** A text of people's choice, numbers included: an address that looks like one is read as one. */
function textOf<Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } {
  const text = typeof value === 'number' ? String(value) : value;
  const isText = typeof text === 'string' && text !== '';
  return isText ? ({ [name]: text.slice(0, 200) } as { [Key in Name]: string }) : {};
}

function oneOf<Name extends string, Value extends string>(
  name: Name,
  value: unknown,
  values: readonly Value[],
): { [Key in Name]?: Value } {
  const known = values.find((each) => each === value);
  return known === undefined ? {} : ({ [name]: known } as { [Key in Name]: Value });
}
