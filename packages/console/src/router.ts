import { createRouter } from '@tanstack/react-router';
import { NotFoundPage } from './pages/shell/not-found-page.tsx';
import { PagePending } from './pages/shell/page-pending.tsx';
import { ProblemPage } from './pages/shell/problem-page.tsx';
import { parseFlatSearch, stringifyFlatSearch } from './parts/forms/flat-search.ts';
import {
  frame,
  instance,
  organization,
  outerRoutes,
  personRoutes,
  type RouterContext,
  root,
} from './routes/frame-routes.ts';
import { instanceRoutes } from './routes/instance-page-routes.ts';
import { messagingRoutes, pushRoutes } from './routes/messaging-page-routes.ts';
import { certificateRoutes, organizationRoutes } from './routes/organization-page-routes.ts';

const routeTree = root.addChildren([
  ...outerRoutes,
  frame.addChildren([
    ...personRoutes,
    instance.addChildren(instanceRoutes),
    organization.addChildren([...organizationRoutes, ...certificateRoutes, ...pushRoutes, ...messagingRoutes]),
  ]),
]);

export function createConsoleRouter(context: RouterContext) {
  const router = createRouter({
    routeTree,
    basepath: '/console',
    context,
    parseSearch: parseFlatSearch,
    stringifySearch: stringifyFlatSearch,
    defaultPreload: 'intent',
    defaultPendingComponent: PagePending,
    defaultErrorComponent: ProblemPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
  // Loads the code of the page while the server is asked who is signed in. A failure is retried when it is needed.
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => undefined);
  return router;
}
