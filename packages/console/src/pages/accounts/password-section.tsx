import { changePassword } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { App, Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

export function PasswordSection({ hasPassword, email }: { readonly hasPassword: boolean; readonly email: string }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [isOpen, setOpen] = useState(false);
  const changing = useChange(changePassword);
  return (
    <Panel
      title={t('signIn.password')}
      actions={
        !isOpen && (
          <Button onClick={() => setOpen(true)}>
            {t(hasPassword ? 'account.password.change' : 'account.password.set')}
          </Button>
        )
      }
    >
      <p className="quiet">{t('account.password.what')}</p>
      {isOpen && (
        <Form
          layout="vertical"
          style={{ maxWidth: 380 }}
          onFinish={(body: { current_password?: string; new_password: string }) =>
            changing.mutate(
              { body },
              {
                onSuccess: () => {
                  setOpen(false);
                  message.success(t('account.password.changed'));
                },
              },
            )
          }
        >
          {changing.error !== null && (
            <div style={{ marginBlockEnd: 12 }}>
              <ProblemAlert error={changing.error} />
            </div>
          )}
          <input type="hidden" autoComplete="username" value={email} />
          {hasPassword && (
            <Form.Item name="current_password" label={t('account.password.current')} rules={[{ required: true }]}>
              <Input.Password autoComplete="current-password" />
            </Form.Item>
          )}
          <Form.Item
            name="new_password"
            label={t('welcome.newPassword')}
            extra={t('welcome.passwordRule')}
            rules={[{ required: true }, { min: 10, message: t('welcome.tooShort') }]}
          >
            <Input.Password autoComplete="new-password" />
          </Form.Item>
          <div className="row">
            <Button type="primary" htmlType="submit" loading={changing.isPending}>
              {t('common.save')}
            </Button>
            <Button
              disabled={changing.isPending}
              onClick={() => {
                changing.reset();
                setOpen(false);
              }}
            >
              {t('common.cancel')}
            </Button>
          </div>
        </Form>
      )}
    </Panel>
  );
}
