import { Skeleton } from 'antd';
import { ProblemAlert } from './problem-alert.tsx';

interface UnreadProps {
  readonly of: { readonly error: unknown; readonly refetch: () => unknown };
}

/** In place of what has not been read yet, or could not be. */
export function Unread({ of: { error, refetch } }: UnreadProps) {
  return error === null ? <Skeleton active /> : <ProblemAlert error={error} onRetry={() => void refetch()} />;
}
