import { Modal, type ModalProps } from 'antd';
import { useReturnFocus } from './use-return-focus.ts';

export type DialogProps = Omit<ModalProps, 'open' | 'destroyOnHidden' | 'focusable'>;

/**
 * A dialog that is open for as long as it is rendered. All dialogs are this one: the focus returns when it goes. While what
 * was asked for is under way (`confirmLoading`) it cannot be called off, and the dialog says so.
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
