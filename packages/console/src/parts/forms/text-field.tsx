import { Form, type FormItemProps, Input, type InputProps } from 'antd';
import { useTranslation } from 'react-i18next';

interface TextFieldProps extends Pick<InputProps, 'autoFocus' | 'maxLength' | 'placeholder'> {
  readonly name: string;
  readonly label: string;
  /** Below the field: what belongs into it. */
  readonly hint?: string;
  /** Beside that it must not be empty. */
  readonly rules?: NonNullable<FormItemProps['rules']>;
}

/** A line of text that a form needs. */
export function TextField({ name, label, hint, rules = [], maxLength = 200, ...input }: TextFieldProps) {
  const { t } = useTranslation();
  const required = { required: true, whitespace: true, message: t('common.required') };
  return (
    <Form.Item name={name} label={label} extra={hint} rules={[required, ...rules]}>
      <Input autoComplete="off" maxLength={maxLength} {...input} />
    </Form.Item>
  );
}
