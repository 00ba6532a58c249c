import { Form, type FormItemProps, Input, type InputProps } from 'antd';

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
  return (
    <Form.Item name={name} label={label} extra={hint} rules={[{ required: true, whitespace: true }, ...rules]}>
      <Input autoComplete="off" maxLength={maxLength} {...input} />
    </Form.Item>
  );
}
