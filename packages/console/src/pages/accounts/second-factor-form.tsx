import { KeyOutlined } from '@ant-design/icons';
import { signInWithCode } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/api-context.tsx';
import type { SignInStep } from '../../api/shown-things.ts';

interface SecondFactorFormProps {
  readonly factors: SignInStep['factors'];
  readonly isBusy: boolean;
  readonly onPasskey: () => Promise<void>;
  readonly onAttempt: (work: () => Promise<SignInStep>) => Promise<void>;
  readonly onBack: () => void;
}

/** The second factors of the person, and a recovery code as the last resort. */
export function SecondFactorForm({ factors, isBusy, onPasskey, onAttempt, onBack }: SecondFactorFormProps) {
  const { t } = useTranslation();
  const { call } = useApi();
  const [isRecovering, setRecovering] = useState(false);
  const hasTotp = factors.includes('totp');
  const showsCode = isRecovering || hasTotp;

  return (
    <>
      {factors.includes('passkey') && !isRecovering && (
        <Button
          block
          type={hasTotp ? 'default' : 'primary'}
          icon={<KeyOutlined />}
          loading={isBusy && !hasTotp}
          onClick={() => void onPasskey()}
        >
          {t('signIn.usePasskey')}
        </Button>
      )}
      {showsCode && (
        <Form
          key={String(isRecovering)}
          layout="vertical"
          onFinish={({ code }: { code: string }) =>
            void onAttempt(() =>
              call(signInWithCode, {
                body: isRecovering ? { recovery_code: code.trim() } : { totp: code.replace(/\s/g, '') },
              }),
            )
          }
        >
          <Form.Item
            name="code"
            label={t(isRecovering ? 'signIn.recoveryCode' : 'signIn.code')}
            rules={[{ required: true }]}
          >
            <Input
              autoFocus
              autoComplete="one-time-code"
              inputMode={isRecovering ? 'text' : 'numeric'}
              className="mono"
            />
          </Form.Item>
          <Button type="primary" htmlType="submit" block loading={isBusy}>
            {t('signIn.submit')}
          </Button>
        </Form>
      )}
      <div className="row">
        <Button type="link" size="small" onClick={onBack}>
          {t('common.back')}
        </Button>
        <span className="grow" />
        {factors.includes('recovery_code') && (
          <Button type="link" size="small" onClick={() => setRecovering(!isRecovering)}>
            {t(isRecovering ? 'signIn.noRecoveryCode' : 'signIn.useRecoveryCode')}
          </Button>
        )}
      </div>
    </>
  );
}
