import { admitsEverybody } from '@waxwing/contract/admits-everybody.ts';
import { Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/**
 * In a form with the fields `name` and `allow`: asks for the name again if the list now allows every address and did
 * not before. Its field `confirmed_name` is not for the server.
 */
export function OpenListConfirmation() {
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
