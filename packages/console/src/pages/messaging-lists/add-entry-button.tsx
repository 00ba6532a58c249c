import { PlusOutlined } from '@ant-design/icons';
import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormModal } from '../../parts/form-modal.tsx';

export interface AddEntryButtonProps {
  readonly label: string;
  readonly title: string;
  readonly field: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly submit: string;
  readonly maxLength: number;
  /** What adds it, as `useChange` gives it. */
  readonly adding: { readonly error: unknown; readonly isPending: boolean; reset(): void };
  readonly onAdd: (entry: string, done: () => void) => void;
}

/** Adds one entry to a list of numbers or words. */
export function AddEntryButton(props: AddEntryButtonProps) {
  const { t } = useTranslation();
  const { label, title, field, hint, placeholder, submit, maxLength, adding, onAdd } = props;
  const [isOpen, setOpen] = useState(false);
  const end = () => {
    setOpen(false);
    adding.reset();
  };
  return (
    <>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <FormModal<{ entry: string }>
          title={title}
          submit={submit}
          width={460}
          saving={adding}
          onSave={({ entry }) => onAdd(entry.trim(), end)}
          onEnd={end}
        >
          <Form.Item
            name="entry"
            label={field}
            extra={hint}
            rules={[{ required: true, whitespace: true, message: t('common.required') }]}
            style={{ marginBlockEnd: 0 }}
          >
            <Input autoFocus maxLength={maxLength} {...(placeholder !== undefined && { placeholder })} />
          </Form.Item>
        </FormModal>
      )}
    </>
  );
}
