import { DeleteOutlined } from '@ant-design/icons';
import { Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemAlert } from './problem-alert.tsx';

export interface ConfirmButtonProps {
  readonly label: string;
  /** Names the button where several with the same label stand under each other. */
  readonly ariaLabel?: string;
  readonly title: string;
  readonly what: string;
  readonly size?: 'small';
  /** What is done, as `useChange` gives it. */
  readonly doing: { readonly error: unknown; readonly isPending: boolean; reset(): void };
  readonly onConfirm: (done: () => void) => void;
}

/** Removes something after one more question. */
export function ConfirmButton({ label, ariaLabel, title, what, size, doing, onConfirm }: ConfirmButtonProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const end = () => {
    setOpen(false);
    doing.reset();
  };
  return (
    <>
      <Button
        danger
        icon={<DeleteOutlined />}
        {...(size !== undefined && { size })}
        {...(ariaLabel !== undefined && { 'aria-label': ariaLabel })}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen && (
        <Modal
          open
          width={460}
          title={title}
          okText={label}
          cancelText={t('common.cancel')}
          okButtonProps={{ danger: true }}
          confirmLoading={doing.isPending}
          onOk={() => onConfirm(end)}
          onCancel={end}
        >
          <div className="stack">
            <p>{what}</p>
            {doing.error !== null && <ProblemAlert error={doing.error} />}
          </div>
        </Modal>
      )}
    </>
  );
}
