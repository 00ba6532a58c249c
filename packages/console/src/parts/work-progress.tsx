import { showInstanceWork } from '@waxwing/contract/management-api/instance-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Progress } from 'antd';
import { useEffect } from 'react';
import { useAnswer } from '../api/api-context.tsx';

export interface WorkProgressProps {
  readonly work: keyof AnswerOf<typeof showInstanceWork>;
  /** Of what is being done. */
  readonly name: string;
  /** How far it has come, in words. */
  readonly words: (done: number, total: number) => string;
  /** Hears that the server does nothing of the kind; for work that somebody else has asked for, or whose answer was lost. */
  readonly onIdle?: () => void;
}

const askEveryMs = 1000;

/** How far long work of the server has come. For as long as it is under way: it asks every second. */
export function WorkProgress({ work, name, words, onIdle }: WorkProgressProps) {
  const { data } = useAnswer(showInstanceWork, {}, { refetchInterval: askEveryMs, keepsNothing: true });
  const isIdle = data !== undefined && data[work] === null;
  useEffect(() => {
    if (isIdle) onIdle?.();
  }, [isIdle, onIdle]);
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
