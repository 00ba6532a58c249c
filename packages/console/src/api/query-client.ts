import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';

/** Which answers of the server are kept, and for how long. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // A refusal by the server is final. A request that did not reach it may succeed.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
      },
      // Changes carry passwords and tokens, which must not outlive the dialog that shows them.
      mutations: { gcTime: 0 },
    },
  });
}
