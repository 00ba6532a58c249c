import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';

/** The address of the person who gets a link. */
export function EmailField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="email"
      label={t('signIn.email')}
      rules={[{ required: true, type: 'email', message: t('members.emailNeeded') }]}
    >
      <Input autoFocus type="email" maxLength={254} autoComplete="off" />
    </Form.Item>
  );
}
