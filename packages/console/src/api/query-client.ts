import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';

/** What is kept of the server's answers, and for how long. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // What the server refused it refuses again; what did not reach it may.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
      },
      // Passwords go out by changes, and tokens come back: nothing of that outlives the dialog that shows it.
      mutations: { gcTime: 0 },
    },
  });
}
