import { showInstanceWork } from '@waxwing/contract/management-api/instance-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Progress } from 'antd';
import { useEffect, useRef } from 'react';
import { useAnswer } from '../api/api-context.tsx';

export interface WorkProgressProps {
  readonly work: keyof AnswerOf<typeof showInstanceWork>;
  /** Of what is being done. */
  readonly name: string;
  /** How far it has come, in words. */
  readonly words: (done: number, total: number) => string;
  /** Hears each time whether the server does it; for work that somebody else has asked for, or whose answer was lost. */
  readonly onTold?: (isUnderWay: boolean) => void;
}

const askEveryMs = 1000;

/** How far long work of the server has come. For as long as it is under way: it asks every second. */
export function WorkProgress({ work, name, words, onTold }: WorkProgressProps) {
  const { data, dataUpdatedAt } = useAnswer(showInstanceWork, {}, { refetchInterval: askEveryMs, keepsNothing: true });
  const latest = useRef({ data, onTold });
  latest.current = { data, onTold };
  useEffect(() => {
    const told = latest.current;
    // Once for each answer, and not for each way in which it is shown.
    if (dataUpdatedAt > 0 && told.data !== undefined) told.onTold?.(told.data[work] !== null);
  }, [dataUpdatedAt, work]);
  // Behind a balancer another node may answer, which does nothing of the kind.
  const { done, total } = data?.[work] ?? { done: 0, total: 0 };
  // Whole only when its answer is there.
  const percent = total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total));
  return (
    <div>
      <Progress percent={percent} status="active" showInfo={false} aria-label={name} />
      <p className="figures quiet" role="status">
        {total > 0 && words(Math.floor(done), total)}
      </p>
    </div>
  );
}
