import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

export interface ShownOnceModalProps {
  readonly title: string;
  /** The button that says one has kept what is shown. */
  readonly okText: string;
  readonly width?: number;
  readonly onEnd: () => void;
  readonly children: ReactNode;
}

/** A dialog with something that is shown once: only saying so ends it, no click beside it and no key. */
export function ShownOnceModal({ title, okText, width = 560, onEnd, children }: ShownOnceModalProps) {
  return (
    <Dialog
      width={width}
      title={title}
      okText={okText}
      cancelButtonProps={{ style: { display: 'none' } }}
      mask={{ closable: false }}
      closable={false}
      keyboard={false}
      onOk={onEnd}
      onCancel={onEnd}
    >
      <div className="stack">{children}</div>
    </Dialog>
  );
}
