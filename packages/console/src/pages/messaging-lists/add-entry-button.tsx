import { PlusOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';

interface AddEntryButtonProps {
  readonly label: string;
  readonly title: string;
  readonly field: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly submit: string;
  readonly maxLength: number;
  readonly adding: { readonly error: unknown; readonly isPending: boolean; reset(): void };
  readonly onAdd: (entry: string, done: () => void) => void;
}

export function AddEntryButton(props: AddEntryButtonProps) {
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
          <TextField
            autoFocus
            name="entry"
            label={field}
            hint={hint}
            maxLength={maxLength}
            {...(placeholder !== undefined && { placeholder })}
          />
        </FormModal>
      )}
    </>
  );
}
