import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { ApiProblem } from '../api/api-problem.ts';
import type { Api } from '../api/call.ts';
import { meQuery } from '../api/me.ts';
import { withLaterTexts } from '../i18n/language.ts';
import { NotFoundPage } from '../pages/shell/not-found-page.tsx';
import { ProblemPage } from '../pages/shell/problem-page.tsx';
import { ownPath, textOf } from './search-params.ts';

export interface RouterContext {
  readonly api: Api;
  readonly queryClient: QueryClient;
}

export const root = createRootRouteWithContext<RouterContext>()({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next, ended }: Record<string, unknown>): { next?: string; ended?: true } => ({
    ...ownPath(next),
    ...((ended === true || ended === 'true') && { ended: true as const }),
  }),
  component: lazyRouteComponent(() => import('../pages/accounts/sign-in-page.tsx'), 'SignInPage'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/accounts/welcome-page.tsx'), 'WelcomePage'),
});

/** Everything that needs somebody who is signed in. */
export const frame = createRoute({
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
  component: lazyRouteComponent(() => import('../pages/shell/console-frame.tsx'), 'ConsoleFrame'),
  errorComponent: ProblemPage,
});

const start = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/shell/start-page.tsx'), 'StartPage'),
});

const organizations = createRoute({
  getParentRoute: () => frame,
  path: '/organizations',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } => textOf('search', search),
  component: lazyRouteComponent(
    () => withLaterTexts(import('../pages/organizations/organization-list-page.tsx')),
    'OrganizationListPage',
  ),
});

const account = createRoute({
  getParentRoute: () => frame,
  path: '/account',
  component: lazyRouteComponent(() => withLaterTexts(import('../pages/accounts/account-page.tsx')), 'AccountPage'),
});

export const organization = createRoute({
  getParentRoute: () => frame,
  path: '/o/$organizationId',
  // Nothing of one is shown, exported or typed on under the name of another.
  remountDeps: ({ params }) => params.organizationId,
  component: lazyRouteComponent(() => import('../pages/shell/organization-outlet.tsx'), 'OrganizationOutlet'),
});

export const instance = createRoute({ getParentRoute: () => frame, path: '/instance' });

export const outerRoutes = [signIn, welcome] as const;
export const personRoutes = [start, organizations, account] as const;
