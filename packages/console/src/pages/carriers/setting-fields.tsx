import { Form, type FormItemProps, Input, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { codeKey } from '../../i18n/code-key.ts';
import { choices, numberLimits } from './carrier-values.ts';

type Rules = NonNullable<FormItemProps['rules']>;

/** Settings with a label and a hint of their own. */
type TextName =
  | 'address'
  | 'response_timeout'
  | 'keep_alive'
  | 'tls_name'
  | 'system_type'
  | 'source_address'
  | 'service_id'
  | 'enterprise_code';

interface TextSettingProps {
  readonly name: TextName;
  readonly maxLength: number;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly form?: RegExp;
}

/** A line of text. Its hint says what belongs into it, also when it was refused. */
export function TextSetting({ name, maxLength, required = false, placeholder = '', form }: TextSettingProps) {
  const { t } = useTranslation();
  const hint = t(`carriers.hints.${name}`);
  const rules: Rules = [
    ...(required ? [{ required: true, whitespace: true }] : []),
    ...(form === undefined ? [] : [{ pattern: form, message: hint }]),
  ];
  return (
    <Form.Item name={name} label={t(`carriers.settings.${name}`)} extra={hint} rules={rules}>
      <Input className="mono" autoComplete="off" spellCheck={false} maxLength={maxLength} placeholder={placeholder} />
    </Form.Item>
  );
}

interface NumberSettingProps {
  readonly name: keyof typeof numberLimits;
  readonly required?: boolean;
  /** Besides its limits. */
  readonly rules?: Rules;
}

export function NumberSetting({ name, required = true, rules = [] }: NumberSettingProps) {
  const { t } = useTranslation();
  const [min, max] = numberLimits[name];
  return (
    <Form.Item
      name={name}
      label={t(`carriers.settings.${name}`)}
      extra={t(`carriers.hints.${name}`)}
      rules={[...(required ? [{ required: true }] : []), ...rules]}
    >
      <InputNumber min={min} max={max} precision={0} style={{ width: '100%' }} />
    </Form.Item>
  );
}

type ChoiceName = keyof typeof choices;

export function ChoiceSetting({ name }: { readonly name: ChoiceName }) {
  const { t } = useTranslation();
  const options = choices[name].map((value) => ({
    value,
    label: t(`carriers.choices.${name}.${codeKey(value)}` as 'carriers.choices.tls.off'),
  }));
  return (
    <Form.Item name={name} label={t(`carriers.settings.${name}`)} extra={t(`carriers.hints.${name}`)}>
      <Select options={options} />
    </Form.Item>
  );
}

interface ListSettingProps {
  readonly name: 'for_prefix' | 'for_sender' | 'temporary' | 'permanent';
  readonly form: RegExp;
  readonly most: number;
  readonly placeholder: string;
}

/** Several short texts, each ended by Enter or a comma. */
export function ListSetting({ name, form, most, placeholder }: ListSettingProps) {
  const { t } = useTranslation();
  const hint = t(`carriers.hints.${name}`);
  return (
    <Form.Item
      name={name}
      label={t(`carriers.settings.${name}`)}
      extra={hint}
      rules={[
        {
          validator: async (_rule, texts: readonly string[] = []) => {
            const wrong = texts.find((text) => !form.test(text));
            if (wrong !== undefined) throw new Error(t('carriers.wrongEntry', { entry: wrong }));
            if (texts.length > most) throw new Error(t('carriers.tooManyEntries', { count: most }));
          },
        },
      ]}
    >
      <EntryList placeholder={placeholder} />
    </Form.Item>
  );
}

interface EntryListProps {
  readonly id?: string;
  readonly placeholder: string;
  readonly value?: readonly string[] | null;
  readonly onChange?: (value: string[]) => void;
}

function EntryList({ id, placeholder, value, onChange }: EntryListProps) {
  return (
    <Select
      {...(id !== undefined && { id })}
      mode="tags"
      open={false}
      suffixIcon={null}
      placeholder={placeholder}
      tokenSeparators={[',', '\n', ';', '，', '；']}
      value={[...(value ?? [])]}
      onChange={(next: string[]) =>
        onChange?.([...new Set(next.map((text) => text.trim()).filter((text) => text !== ''))])
      }
    />
  );
}
