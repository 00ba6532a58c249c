import type { ReactNode } from 'react';
import { LeaveGuard } from '../forms/leave-guard.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceModalProps {
  readonly title: string;
  /** The button that confirms that the content was saved. */
  readonly okText: string;
  readonly width?: number;
  /** Stands before that button. */
  readonly extra?: ReactNode;
  readonly onEnd: () => void;
  readonly children: ReactNode;
}

/** A dialog with content that is shown once. Only its button closes it: no click beside it, no key, no navigation. */
export function ShownOnceModal({ title, okText, width = 560, extra, onEnd, children }: ShownOnceModalProps) {
  return (
    <Dialog
      width={width}
      title={title}
      okText={okText}
      mask={{ closable: false }}
      closable={false}
      keyboard={false}
      footer={(_buttons, { OkBtn }) => (
        <div className="row end">
          {extra}
          <OkBtn />
        </div>
      )}
      onOk={onEnd}
    >
      <div className="stack">{children}</div>
      <LeaveGuard />
    </Dialog>
  );
}
