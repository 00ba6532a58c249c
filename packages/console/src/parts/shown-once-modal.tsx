import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { LeaveGuard } from './leave-guard.tsx';

export interface ShownOnceModalProps {
  readonly title: string;
  /** The button that says one has kept what is shown. */
  readonly okText: string;
  readonly width?: number;
  /** Stands before that button. */
  readonly extra?: ReactNode;
  readonly onEnd: () => void;
  readonly children: ReactNode;
}

/** A dialog with something that is shown once: only saying so ends it, no click beside it, no key and no way back. */
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
