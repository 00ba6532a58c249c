import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { ApiProblem } from '../api/api-problem.ts';
import type { Api } from '../api/call.ts';
import { meQuery } from '../api/me.ts';
import { NotFoundPage } from '../pages/shell/not-found-page.tsx';
import { ProblemPage } from '../pages/shell/problem-page.tsx';
import { filtersFrom, searchText } from '../parts/tables/list-filters.ts';
import { laterPage } from './later-page.ts';
import { ownPath } from './own-path.ts';

export interface RouterContext {
  readonly api: Api;
  readonly queryClient: QueryClient;
}

export const root = createRootRouteWithContext<RouterContext>()({ component: Outlet, notFoundComponent: NotFoundPage });

/** All pages for people who are signed in. */
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

export const organization = createRoute({
  getParentRoute: () => frame,
  path: '/o/$organizationId',
  // No state of one organization may be shown under the name of another.
  remountDeps: ({ params }) => params.organizationId,
  component: lazyRouteComponent(() => import('../pages/shell/organization-outlet.tsx'), 'OrganizationOutlet'),
});

export const instance = createRoute({ getParentRoute: () => frame, path: '/instance' });

export const outerRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: ({ next, ended }: Record<string, unknown>): { next?: string; ended?: true } => ({
      ...ownPath(next),
      ...((ended === true || ended === 'true') && { ended: true as const }),
    }),
    component: lazyRouteComponent(() => import('../pages/accounts/sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/welcome',
    component: lazyRouteComponent(() => import('../pages/accounts/welcome-page.tsx'), 'WelcomePage'),
  }),
] as const;

export const personRoutes = [
  createRoute({
    getParentRoute: () => frame,
    path: '/',
    component: lazyRouteComponent(() => import('../pages/shell/start-page.tsx'), 'StartPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/organizations',
    validateSearch: filtersFrom({ search: searchText }),
    component: laterPage(() => import('../pages/organizations/organization-list-page.tsx'), 'OrganizationListPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/account',
    component: laterPage(() => import('../pages/accounts/account-page.tsx'), 'AccountPage'),
  }),
] as const;
