import { IdcardOutlined, KeyOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import {
  beginPasskeyReauthentication,
  beginSsoReauthentication,
  reauthenticate,
  showFactors,
  signOut,
} from '@waxwing/contract/management-api/operations/account-operations.ts';
import { showSignInMethods } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { Button, Form, Input } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useApi } from '../../api/api-context.tsx';
import { awaitThisPage } from '../text/awaited-page.ts';
import { ProblemAlert } from '../text/problem-alert.tsx';
import { Unread } from '../text/unread.tsx';
import type { FreshProof } from './asked-proof.ts';
import { Dialog } from './dialog.tsx';
import { askPasskey, canUsePasskeys } from './passkey.ts';

/** Shows the question "is it still you?" whenever a call needs it. */
export function FreshProofDialog({ proof, children }: { readonly proof: FreshProof; readonly children: ReactNode }) {
  const [answer, setAnswer] = useState<(isGiven: boolean) => void>();
  useEffect(() => proof.onAsked((next) => setAnswer(() => next)), [proof]);
  return (
    <>
      {children}
      {answer !== undefined && <ProofModal onEnd={answer} />}
    </>
  );
}

function ProofModal({ onEnd }: { readonly onEnd: (isGiven: boolean) => void }) {
  const { t } = useTranslation();
  const { call } = useApi();
  const factors = useAnswer(showFactors, {});
  const methods = useAnswer(showSignInMethods, {});
  const proving = useMutation({ mutationFn: (work: () => Promise<unknown>) => work() });
  // Also once it is given: the dialog closes, or the page is left.
  const isBusy = proving.isPending || proving.isSuccess;
  const prove = (work: () => Promise<unknown>) => proving.mutate(work, { onSuccess: () => onEnd(true) });
  const byPasskey = () =>
    prove(async () => {
      const credential = await askPasskey(await call(beginPasskeyReauthentication, {}));
      await call(reauthenticate, { body: { credential } });
    });

  /** Leaves the page. The person starts their change again afterwards. */
  const bySso = () =>
    proving.mutate(async () => {
      const { url } = await call(beginSsoReauthentication, {});
      awaitThisPage();
      location.assign(url);
    });

  const { data } = factors;
  const hasPasskey = (data?.passkeys.length ?? 0) > 0 && canUsePasskeys();
  const hasCode = data !== undefined && (data.password || data.totp !== null);
  const isSsoKnown = data !== undefined && (data.sso === null || methods.data !== undefined || methods.error !== null);
  const hasSso = data !== undefined && data.sso !== null && methods.data?.sso === true;
  return (
    <Dialog title={t('proof.title')} footer={null} width={420} onCancel={() => onEnd(false)}>
      <div className="stack">
        <p className="quiet">{t('proof.why')}</p>
        <ProblemAlert error={proving.error} />
        {data === undefined && <Unread of={factors} />}
        {hasCode && (
          <CodeForm
            name={data.password ? 'password' : 'totp'}
            isBusy={isBusy}
            onCode={(body) => prove(() => call(reauthenticate, { body }))}
          />
        )}
        {hasPasskey && (
          <Button type={hasCode ? 'default' : 'primary'} icon={<KeyOutlined />} disabled={isBusy} onClick={byPasskey}>
            {t('signIn.usePasskey')}
          </Button>
        )}
        {hasSso && (
          <>
            <Button
              type={hasCode || hasPasskey ? 'default' : 'primary'}
              icon={<IdcardOutlined />}
              disabled={isBusy}
              onClick={bySso}
            >
              {t('signIn.useSso')}
            </Button>
            <p className="quiet small">{t('proof.bySso')}</p>
          </>
        )}
        {isSsoKnown && !hasCode && !hasPasskey && !hasSso && <SignInAnew />}
      </div>
    </Dialog>
  );
}

interface CodeFormProps {
  readonly name: 'password' | 'totp';
  readonly isBusy: boolean;
  readonly onCode: (body: { readonly password: string } | { readonly totp: string }) => void;
}

function CodeForm({ name, isBusy, onCode }: CodeFormProps) {
  const { t } = useTranslation();
  return (
    // The name keeps its field ids apart from those of the dialog that needs the confirmation.
    <Form
      name="proof"
      layout="vertical"
      onFinish={({ password = '', totp = '' }: { password?: string; totp?: string }) =>
        onCode(name === 'totp' ? { totp } : { password })
      }
    >
      <Form.Item
        name={name}
        label={t(name === 'totp' ? 'signIn.code' : 'signIn.password')}
        rules={[{ required: true }]}
      >
        {name === 'totp' ? (
          <Input autoFocus inputMode="numeric" autoComplete="one-time-code" />
        ) : (
          <Input.Password autoFocus autoComplete="current-password" />
        )}
      </Form.Item>
      <div className="row end">
        <Button type="primary" htmlType="submit" loading={isBusy}>
          {t('common.continue')}
        </Button>
      </div>
    </Form>
  );
}

/** For people without a factor that works in this browser: a new sign-in counts as confirmation. */
function SignInAnew() {
  const { t } = useTranslation();
  const { call } = useApi();
  async function leave(): Promise<void> {
    await call(signOut, {}).catch(() => undefined);
    awaitThisPage();
    location.assign('/console/sign-in');
  }
  return (
    <>
      <p>{t('proof.nothing')}</p>
      <div className="row end">
        <Button type="primary" onClick={() => void leave()}>
          {t('proof.signInAnew')}
        </Button>
      </div>
    </>
  );
}
