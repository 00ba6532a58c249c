import { Button, type ButtonProps } from 'antd';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { ProblemAlert } from './problem-alert.tsx';

/** A change, as `useChange` gives it. */
export interface Confirmed<Input> {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly reset: () => unknown;
  readonly mutate: (input: Input, options: { readonly onSuccess: () => void }) => void;
}

export interface ConfirmButtonProps<Input> extends Pick<ButtonProps, 'danger' | 'size' | 'icon'> {
  readonly text: string;
  /** Names what it is about, where several stand in a list. */
  readonly label?: string;
  readonly title: string;
  /** What happens, in a sentence or two. */
  readonly what: ReactNode;
  readonly change: Confirmed<Input>;
  readonly input: Input;
  readonly onDone?: () => void;
}

/** A button whose change is asked about before. */
export function ConfirmButton<Input>(props: ConfirmButtonProps<Input>) {
  const { text, label, title, what, change, input, danger = false, size = 'middle', icon, onDone } = props;
  const [isOpen, setOpen] = useState(false);
  const end = () => {
    setOpen(false);
    change.reset();
  };
  return (
    <>
      <Button danger={danger} size={size} icon={icon} aria-label={label} onClick={() => setOpen(true)}>
        {text}
      </Button>
      {isOpen && (
        <Dialog
          width={460}
          title={title}
          okText={text}
          okButtonProps={{ danger }}
          confirmLoading={change.isPending}
          onOk={() =>
            change.mutate(input, {
              onSuccess: () => {
                end();
                onDone?.();
              },
            })
          }
          onCancel={end}
        >
          <div className="stack">
            <p>{what}</p>
            {change.error !== null && <ProblemAlert error={change.error} />}
          </div>
        </Dialog>
      )}
    </>
  );
}
