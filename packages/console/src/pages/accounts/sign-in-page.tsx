import { IdcardOutlined, KeyOutlined } from '@ant-design/icons';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import {
  beginPasskeySignIn,
  beginSsoSignIn,
  showSignInMethods,
  signIn,
  signInWithPasskey,
} from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { Alert, Button, Divider, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useApi } from '../../api/api-context.tsx';
import { ApiProblem } from '../../api/api-problem.ts';
import type { SignInStep } from '../../api/shown-things.ts';
import { askPasskey, canUsePasskeys, isChangeOfMind } from '../../parts/dialogs/passkey.ts';
import { awaitPage, takeAwaitedPage } from '../../parts/text/awaited-page.ts';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';
import { readSignInFragment } from './sign-in-fragment.ts';
import { SignedOutPage } from './signed-out-page.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { t } = useTranslation();
  const { call } = useApi();
  const router = useRouter();
  const client = useQueryClient();
  const { next, ended } = route.useSearch();
  const methods = useAnswer(showSignInMethods, {});
  const [fragment] = useState(() => readSignInFragment(location.hash));
  const [step, setStep] = useState<SignInStep | undefined>(fragment?.kind === 'step' ? fragment.step : undefined);
  const [error, setError] = useState<unknown>(
    fragment?.kind === 'refused'
      ? refusedSso(fragment.reason, fragment.reason === 'not_proven_anew' ? t('proof.notProven') : undefined)
      : undefined,
  );
  const [isBusy, setBusy] = useState(false);

  function goOn(reached: SignInStep): void {
    if (reached.state === 'second_factor') {
      setStep(reached);
      return;
    }
    client.clear();
    const awaited = takeAwaitedPage();
    router.history.replace(`/console${next ?? awaited ?? '/'}`);
  }

  async function attempt(work: () => Promise<SignInStep | undefined>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const reached = await work();
      if (reached !== undefined) goOn(reached);
    } catch (problem) {
      if (!isChangeOfMind(problem)) setError(problem);
      if (problem instanceof ApiProblem && problem.code === 'sign_in_expired') setStep(undefined);
    } finally {
      setBusy(false);
    }
  }

  const byPasskey = () =>
    attempt(async () => {
      const credential = await askPasskey(await call(beginPasskeySignIn, {}));
      return call(signInWithPasskey, { body: { credential } });
    });

  const bySso = () =>
    attempt(async () => {
      const { url } = await call(beginSsoSignIn, {});
      // Without `next`, a page with a secret fragment may already be awaited.
      if (next !== undefined) awaitPage(next);
      location.assign(url);
      return undefined;
    });

  const alert =
    error !== undefined ? (
      <ProblemAlert error={error} />
    ) : (
      ended && <Alert type="info" showIcon title={t('signIn.ended')} />
    );

  if (step !== undefined) {
    return (
      <SignedOutPage title={t('signIn.secondFactor')} lead={t('signIn.secondFactorLead')}>
        <div className="stack">
          {alert}
          <SecondFactorForm
            factors={step.factors}
            isBusy={isBusy}
            onPasskey={byPasskey}
            onAttempt={attempt}
            onBack={() => {
              setStep(undefined);
              setError(undefined);
            }}
          />
        </div>
      </SignedOutPage>
    );
  }

  const hasPasskey = methods.data?.passkey === true && canUsePasskeys();
  const hasSso = methods.data?.sso === true;
  return (
    <SignedOutPage title={t('signIn.title')} lead={t('signIn.lead')}>
      <div className="stack">
        {alert}
        <Form
          layout="vertical"
          onFinish={(body: { email: string; password: string }) => void attempt(() => call(signIn, { body }))}
        >
          <Form.Item name="email" label={t('signIn.email')} rules={[{ required: true }]}>
            <Input autoFocus type="email" autoComplete="username webauthn" />
          </Form.Item>
          <Form.Item name="password" label={t('signIn.password')} rules={[{ required: true }]}>
            <Input.Password autoComplete="current-password" />
          </Form.Item>
          <Button type="primary" htmlType="submit" block loading={isBusy}>
            {t('signIn.submit')}
          </Button>
        </Form>
        {(hasPasskey || hasSso) && (
          <div>
            <Divider plain style={{ marginBlock: '0 12px' }}>
              {t('signIn.or')}
            </Divider>
            <div className="stack tight">
              {hasPasskey && (
                <Button block icon={<KeyOutlined />} disabled={isBusy} onClick={() => void byPasskey()}>
                  {t('signIn.usePasskey')}
                </Button>
              )}
              {hasSso && (
                <Button block icon={<IdcardOutlined />} disabled={isBusy} onClick={() => void bySso()}>
                  {t('signIn.useSso')}
                </Button>
              )}
            </div>
          </div>
        )}
        <p className="quiet small">{t('signIn.help')}</p>
      </div>
    </SignedOutPage>
  );
}

/** @param detail a sentence of the console; the address carries none */
function refusedSso(reason: string | undefined, detail: string | undefined): ApiProblem {
  return new ApiProblem({
    code: 'sso_refused',
    status: 401,
    ...(reason !== undefined && { reason }),
    ...(detail !== undefined && { detail }),
  });
}
