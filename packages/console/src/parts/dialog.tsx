import { Modal, type ModalProps } from 'antd';
import { useReturnFocus } from './use-return-focus.ts';

export type DialogProps = Omit<ModalProps, 'open' | 'destroyOnHidden' | 'focusable'>;

/** A dialog that is open for as long as it is rendered. All dialogs are this one: the focus returns when it goes. */
export function Dialog(props: DialogProps) {
  useReturnFocus();
  return <Modal open {...props} />;
}
