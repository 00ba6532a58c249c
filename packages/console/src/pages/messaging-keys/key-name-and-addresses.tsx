import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { AllowListField } from '../../parts/allow-list-field.tsx';

/** The fields that a messaging key has from the first. */
export function KeyNameAndAddresses({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name="name"
        label={t('messaging.keys.name')}
        extra={t('messaging.keys.nameHint')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoFocus maxLength={200} placeholder="shop-01" />
      </Form.Item>
      <Form.Item
        name="allow"
        label={t('deployments.allowList')}
        extra={t('messaging.keys.allowHint')}
        style={{ marginBlockEnd: 0 }}
      >
        <AllowListField
          organizationId={organizationId}
          warnings={{ empty: t('messaging.keys.emptyAllowList'), open: t('messaging.keys.openAllowList') }}
        />
      </Form.Item>
    </>
  );
}
