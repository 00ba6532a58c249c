import { Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { ProblemAlert } from './problem-alert.tsx';

export interface PendingModalProps {
  readonly title: ReactNode;
  readonly width: number;
  /** Why there is nothing to edit; null while it is being read. */
  readonly error: unknown;
  readonly onEnd: () => void;
}

/** In place of a dialog whose fields are being read. */
export function PendingModal({ title, width, error, onEnd }: PendingModalProps) {
  return (
    <Dialog width={width} title={title} footer={null} onCancel={onEnd}>
      {error === null ? <Skeleton active /> : <ProblemAlert error={error} />}
    </Dialog>
  );
}
