import { admitsEverybody } from '@waxwing/contract/admits-everybody.ts';
import { Form, Input } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AllowListField, type AllowListFieldProps } from './allow-list-field.tsx';
import { TextField } from './text-field.tsx';

interface NameAndAddressesProps extends Pick<AllowListFieldProps, 'organizationId' | 'warnings'> {
  readonly nameHint: string;
  readonly namePlaceholder: string;
  readonly allowHint: string;
  readonly children?: ReactNode;
}

/** The fields `name` and `allow` in a form for a holder of tokens. */
export function NameAndAddresses(props: NameAndAddressesProps) {
  const { t } = useTranslation();
  const { nameHint, namePlaceholder, allowHint, children, ...list } = props;
  return (
    <>
      <TextField autoFocus name="name" label={t('common.name')} hint={nameHint} placeholder={namePlaceholder} />
      {children}
      <Form.Item name="allow" label={t('deployments.allowList')} extra={allowHint}>
        <AllowListField {...list} />
      </Form.Item>
      <OpenListConfirmation />
    </>
  );
}

/**
 * Asks for the name again if the list now allows every address and did not before. Its field `confirmed_name` is not
 * for the server.
 */
function OpenListConfirmation() {
  const { t } = useTranslation();
  const form = Form.useFormInstance<{ name?: string; allow?: string[] }>();
  const allow = Form.useWatch('allow', form);
  const [wasOpen] = useState(() => admitsEverybody(form.getFieldValue('allow') ?? []));
  if (wasOpen || !admitsEverybody(allow ?? [])) return null;
  return (
    <Form.Item
      name="confirmed_name"
      label={t('deployments.confirmOpen')}
      dependencies={['name']}
      validateTrigger="onSubmit"
      rules={[
        ({ getFieldValue }) => ({
          validator: (_rule, typed: string | undefined) =>
            typed !== undefined && typed.trim() !== '' && typed.trim() === getFieldValue('name')?.trim()
              ? Promise.resolve()
              : Promise.reject(new Error(t('deployments.notTheName'))),
        }),
      ]}
    >
      <Input autoComplete="off" maxLength={200} />
    </Form.Item>
  );
}
