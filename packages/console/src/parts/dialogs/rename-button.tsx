import { EditOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormModal } from '../forms/form-modal.tsx';
import { TextField } from '../forms/text-field.tsx';
import type { Confirmed } from './confirm-dialog.tsx';

interface RenameButtonProps<Input> {
  /** The name there is. */
  readonly name: string;
  readonly placeholder?: string;
  readonly change: Confirmed<Input>;
  readonly toInput: (name: string) => Input;
}

/** A pencil beside a name. */
export function RenameButton<Input>({ name, placeholder = '', change, toInput }: RenameButtonProps<Input>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const title = t('common.renameNamed', { name });
  const end = () => {
    setOpen(false);
    change.reset();
  };
  return (
    <>
      <Button type="text" size="small" icon={<EditOutlined />} aria-label={title} onClick={() => setOpen(true)} />
      {isOpen && (
        <FormModal<{ name: string }>
          title={title}
          width={440}
          initialValues={{ name }}
          saving={change}
          onSave={(values) => change.mutate(toInput(values.name.trim()), { onSuccess: end })}
          onEnd={end}
        >
          <TextField autoFocus name="name" label={t('common.name')} placeholder={placeholder} />
        </FormModal>
      )}
    </>
  );
}
