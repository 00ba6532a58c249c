import { Button, type ButtonProps } from 'antd';
import { useState } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

interface ConfirmButtonProps<Input, Answer>
  extends Pick<ButtonProps, 'danger' | 'size' | 'icon'>,
    Pick<ConfirmDialogProps<Input, Answer>, 'title' | 'what' | 'change' | 'input' | 'onDone'> {
  readonly text: string;
  /** Names its subject, where a list has several such buttons. */
  readonly label?: string;
}

/** A button that asks before it makes a change. */
export function ConfirmButton<Input, Answer>(props: ConfirmButtonProps<Input, Answer>) {
  const { text, label, danger = false, size = 'middle', icon, ...asked } = props;
  const [isOpen, setOpen] = useState(false);
  function ask(): void {
    // All rows of a list share one change. An error in it may be that of a row which is gone.
    asked.change.reset();
    setOpen(true);
  }
  return (
    <>
      <Button danger={danger} size={size} icon={icon} aria-label={label} onClick={ask}>
        {text}
      </Button>
      {isOpen && <ConfirmDialog {...asked} danger={danger} okText={text} onEnd={() => setOpen(false)} />}
    </>
  );
}
