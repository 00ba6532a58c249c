import { IdcardOutlined, KeyOutlined } from '@ant-design/icons';
import {
  beginPasskeyReauthentication,
  beginSsoReauthentication,
  reauthenticate,
  showFactors,
  signOut,
} from '@waxwing/contract/management-api/account-operations.ts';
import { showSignInMethods } from '@waxwing/contract/management-api/sign-in-operations.ts';
import { Button, Form, Input, Skeleton } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useApi } from '../api/api-context.tsx';
import { toApiProblem } from '../api/api-problem.ts';
import type { FreshProof } from './asked-proof.ts';
import { awaitThisPage } from './awaited-page.ts';
import { Dialog } from './dialog.tsx';
import { askPasskey, canUsePasskeys } from './passkey.ts';
import { ProblemAlert } from './problem-alert.tsx';

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
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  async function prove(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      onEnd(true);
    } catch (problem) {
      setError(toApiProblem(problem));
    } finally {
      setBusy(false);
    }
  }

  const byPasskey = () =>
    prove(async () => {
      const credential = await askPasskey(await call(beginPasskeyReauthentication, {}));
      await call(reauthenticate, { body: { credential } });
    });

  /** Leaves the page: what was begun on it is begun again, with the proof. */
  async function bySso(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const { url } = await call(beginSsoReauthentication, {});
      awaitThisPage();
      location.assign(url);
    } catch (problem) {
      setError(toApiProblem(problem));
      setBusy(false);
    }
  }

  const { data, error: unread } = factors;
  const hasPasskey = (data?.passkeys.length ?? 0) > 0 && canUsePasskeys();
  const hasCode = data !== undefined && (data.password || data.totp !== null);
  const isSsoKnown = data !== undefined && (data.sso === null || methods.data !== undefined || methods.error !== null);
  const hasSso = data !== undefined && data.sso !== null && methods.data?.sso === true;
  return (
    <Dialog title={t('proof.title')} footer={null} width={420} onCancel={() => onEnd(false)}>
      <div className="stack">
        <p className="quiet">{t('proof.why')}</p>
        {error !== undefined && <ProblemAlert error={error} />}
        {data === undefined &&
          (unread === null ? (
            <Skeleton active />
          ) : (
            <ProblemAlert error={unread} onRetry={() => void factors.refetch()} />
          ))}
        {hasCode && (
          <CodeForm
            name={data.password ? 'password' : 'totp'}
            isBusy={isBusy}
            onCode={(body) => void prove(() => call(reauthenticate, { body }))}
          />
        )}
        {hasPasskey && (
          <Button
            type={hasCode ? 'default' : 'primary'}
            icon={<KeyOutlined />}
            disabled={isBusy}
            onClick={() => void byPasskey()}
          >
            {t('signIn.usePasskey')}
          </Button>
        )}
        {hasSso && (
          <>
            <Button
              type={hasCode || hasPasskey ? 'default' : 'primary'}
              icon={<IdcardOutlined />}
              disabled={isBusy}
              onClick={() => void bySso()}
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
    // The name keeps its fields apart from those of the dialog that has asked for the proof.
    <Form
      name="proof"
      layout="vertical"
      requiredMark={false}
      onFinish={({ password = '', totp = '' }: { password?: string; totp?: string }) =>
        onCode(name === 'totp' ? { totp } : { password })
      }
    >
      <Form.Item
        name={name}
        label={t(name === 'totp' ? 'signIn.code' : 'signIn.password')}
        rules={[{ required: true, message: t('common.required') }]}
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

/** For somebody with nothing of their own to prove it by, here: a sign-in counts as the proof. */
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
