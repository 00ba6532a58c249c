import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { showInstanceWork } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import { Progress } from 'antd';
import { useEffect, useRef } from 'react';
import { useAnswer } from '../../api/api-context.tsx';

interface WorkProgressProps {
  readonly work: keyof AnswerOf<typeof showInstanceWork>;
  /** The name of the work. */
  readonly name: string;
  /** How far it has come, in words. */
  readonly words: (done: number, total: number) => string;
  /** Gets each report. For work that another person has requested, or whose answer was lost. */
  readonly onTold?: (isUnderWay: boolean) => void;
}

const askEveryMs = 1000;

/** The progress of long work of the server, read every second while this is shown. */
export function WorkProgress({ work, name, words, onTold }: WorkProgressProps) {
  const { data, dataUpdatedAt } = useAnswer(showInstanceWork, {}, { refetchInterval: askEveryMs, keepsNothing: true });
  const latest = useRef({ data, onTold });
  latest.current = { data, onTold };
  useEffect(() => {
    const told = latest.current;
    // Reports each answer once, not at each rendering.
    if (dataUpdatedAt > 0 && told.data !== undefined) told.onTold?.(told.data[work] !== null);
  }, [dataUpdatedAt, work]);
  // Behind a balancer another node may answer, which does not do this work.
  const { done, total } = data?.[work] ?? { done: 0, total: 0 };
  // 100 % is shown only by the answer itself.
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
