import { Modal, type ModalProps } from 'antd';
import { useReturnFocus } from './use-return-focus.ts';

type DialogProps = Omit<ModalProps, 'open' | 'destroyOnHidden' | 'focusable'>;

/**
 * A dialog that is open while it is rendered, and returns the focus when it closes. All dialogs are built on it. While
 * its request is in flight (`confirmLoading`) it cannot be cancelled.
 */
export function Dialog({ confirmLoading = false, cancelButtonProps, ...props }: DialogProps) {
  useReturnFocus();
  return (
    <Modal
      open
      {...props}
      {...(confirmLoading && { confirmLoading, closable: { disabled: true } })}
      cancelButtonProps={{ ...cancelButtonProps, ...(confirmLoading && { disabled: true }) }}
    />
  );
}
