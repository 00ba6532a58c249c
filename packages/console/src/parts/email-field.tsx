import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';

/** Of the person that a link is made for. */
export function EmailField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="email"
      label={t('signIn.email')}
      rules={[{ required: true, type: 'email', message: t('members.emailNeeded') }]}
      style={{ marginBlockEnd: 0 }}
    >
      <Input autoFocus type="email" maxLength={254} autoComplete="off" />
    </Form.Item>
  );
}
