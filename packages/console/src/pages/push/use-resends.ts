import { useQueryClient } from '@tanstack/react-query';
import { listPushes, listResends } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { useEffect, useState } from 'react';
import { useAnswer } from '../../api/api-context.tsx';
import { readAgainAtOnce } from '../../api/read-again.ts';
import { type FollowedResend, followResends } from './followed-resends.ts';

const whileRunningMs = 1_000;
const whileNoneMs = 10_000;

export interface Resends {
  readonly resends: readonly FollowedResend[];
  readonly isRunning: boolean;
  /** Follows one that was begun here: it may end before it is ever seen under way. */
  follow(resend: FollowedResend): void;
  dismiss(id: string): void;
}

/** Re-sends under way, and those that have ended since the page was opened. */
export function useResends(organizationId: string): Resends {
  const [resends, setResends] = useState<readonly FollowedResend[]>([]);
  const isRunning = resends.some(({ isEnded }) => !isEnded);
  const { data } = useAnswer(
    listResends,
    { params: { organization_id: organizationId } },
    { refetchInterval: isRunning ? whileRunningMs : whileNoneMs },
  );
  const client = useQueryClient();
  const ended = resends.filter(({ isEnded }) => isEnded).length;
  useEffect(() => {
    // What it has moved shows at once, not at the next look.
    if (ended > 0) void readAgainAtOnce(client, { queryKey: [listPushes.tag, listPushes.id] });
  }, [client, ended]);
  useEffect(() => {
    if (data !== undefined) setResends((known) => followResends(known, data.items));
  }, [data]);
  return {
    resends,
    isRunning,
    follow: (resend) => setResends((known) => (known.some(({ id }) => id === resend.id) ? known : [...known, resend])),
    dismiss: (id) => setResends((known) => known.filter((resend) => resend.id !== id)),
  };
}
