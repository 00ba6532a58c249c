import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { AllowListField, type AllowListFieldProps } from './allow-list-field.tsx';
import { OpenListConfirmation } from './open-list-confirmation.tsx';

export interface NameAndAddressesProps extends Pick<AllowListFieldProps, 'organizationId' | 'warnings'> {
  readonly nameHint: string;
  readonly namePlaceholder: string;
  readonly allowHint: string;
}

/** The fields `name` and `allow` of a form for something that has a token. */
export function NameAndAddresses(props: NameAndAddressesProps) {
  const { t } = useTranslation();
  const { nameHint, namePlaceholder, allowHint, ...list } = props;
  return (
    <>
      <Form.Item
        name="name"
        label={t('deployments.name')}
        extra={nameHint}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoFocus maxLength={200} placeholder={namePlaceholder} />
      </Form.Item>
      <Form.Item name="allow" label={t('deployments.allowList')} extra={allowHint} style={{ marginBlockEnd: 0 }}>
        <AllowListField {...list} />
      </Form.Item>
      <OpenListConfirmation />
    </>
  );
}
