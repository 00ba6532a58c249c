import type { ReactNode } from 'react';
import { ProblemAlert } from '../text/problem-alert.tsx';
import { Dialog } from './dialog.tsx';

export interface Confirmed<Input, Answer = unknown> {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly reset: () => unknown;
  readonly mutate: (input: Input, options: { readonly onSuccess: (answer: Answer) => void }) => void;
}

export interface ConfirmDialogProps<Input, Answer> {
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly what: ReactNode;
  /** The text of the confirming button. */
  readonly okText: string;
  readonly width?: number;
  /** Shown below `what`. */
  readonly children?: ReactNode;
  readonly danger?: boolean;
  readonly change: Confirmed<Input, Answer>;
  readonly input: Input;
  readonly onDone?: ((answer: Answer) => void) | undefined;
  readonly onEnd: () => void;
}

export function ConfirmDialog<Input, Answer>(props: ConfirmDialogProps<Input, Answer>) {
  const { title, what, okText, width = 460, children, danger = false, change, input, onDone, onEnd } = props;
  const end = () => {
    onEnd();
    change.reset();
  };
  return (
    <Dialog
      width={width}
      title={title}
      okText={okText}
      okButtonProps={{ danger }}
      confirmLoading={change.isPending}
      onOk={() =>
        change.mutate(input, {
          onSuccess: (answer) => {
            end();
            onDone?.(answer);
          },
        })
      }
      onCancel={end}
    >
      <div className="stack">
        <p>{what}</p>
        {children}
        <ProblemAlert error={change.error} />
      </div>
    </Dialog>
  );
}
