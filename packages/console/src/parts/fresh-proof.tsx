import { KeyOutlined } from '@ant-design/icons';
import {
  beginPasskeyReauthentication,
  reauthenticate,
  showFactors,
} from '@waxwing/contract/management-api/account-operations.ts';
import { Button, Form, Input, Spin } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useApi } from '../api/api-context.tsx';
import { toApiProblem } from '../api/api-problem.ts';
import { Dialog } from './dialog.tsx';
import { askPasskey, canUsePasskeys } from './passkey.ts';
import { ProblemAlert } from './problem-alert.tsx';

/** Lets whoever calls the API ask for a proof, before there is a component that shows the question. */
export interface FreshProof {
  /** @returns whether it was given */
  ask(): Promise<boolean>;
  /** Hears of each question, until the returned function is called. */
  onAsked(listener: (answer: (isGiven: boolean) => void) => void): () => void;
}

export function createFreshProof(): FreshProof {
  let listen: ((answer: (isGiven: boolean) => void) => void) | undefined;
  return {
    ask: () => new Promise((resolve) => (listen === undefined ? resolve(false) : listen(resolve))),
    onAsked(listener) {
      listen = listener;
      return () => {
        listen = undefined;
      };
    },
  };
}

/** Shows the question "is it still you?" whenever a call needs it. */
export function FreshProofDialog({ proof, children }: { readonly proof: FreshProof; readonly children: ReactNode }) {
  const [answer, setAnswer] = useState<(isGiven: boolean) => void>();
  useEffect(() => proof.onAsked((next) => setAnswer(() => next)), [proof]);
  const end = (isGiven: boolean) => {
    answer?.(isGiven);
    setAnswer(undefined);
  };
  return (
    <>
      {children}
      {answer !== undefined && <ProofModal onEnd={end} />}
    </>
  );
}

function ProofModal({ onEnd }: { readonly onEnd: (isGiven: boolean) => void }) {
  const { t } = useTranslation();
  const { call } = useApi();
  const factors = useAnswer(showFactors, {});
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

  const name = factors.data?.password === false ? 'totp' : 'password';
  return (
    <Dialog title={t('proof.title')} footer={null} width={420} onCancel={() => onEnd(false)}>
      <Spin spinning={factors.isPending}>
        <div className="stack">
          <p className="quiet">{t('proof.why')}</p>
          {error !== undefined && <ProblemAlert error={error} />}
          {/* The name keeps its fields apart from those of the dialog that has asked for the proof. */}
          <Form
            name="proof"
            layout="vertical"
            requiredMark={false}
            onFinish={(values: { password?: string; totp?: string }) =>
              void prove(() =>
                call(reauthenticate, {
                  body: name === 'totp' ? { totp: values.totp ?? '' } : { password: values.password ?? '' },
                }),
              )
            }
          >
            {name === 'password' ? (
              <Form.Item
                name="password"
                label={t('signIn.password')}
                rules={[{ required: true, message: t('common.required') }]}
              >
                <Input.Password autoFocus autoComplete="current-password" />
              </Form.Item>
            ) : (
              <Form.Item
                name="totp"
                label={t('signIn.code')}
                rules={[{ required: true, message: t('common.required') }]}
              >
                <Input autoFocus inputMode="numeric" autoComplete="one-time-code" />
              </Form.Item>
            )}
            <div className="row end">
              {(factors.data?.passkeys.length ?? 0) > 0 && canUsePasskeys() && (
                <Button icon={<KeyOutlined />} disabled={isBusy} onClick={() => void byPasskey()}>
                  {t('signIn.usePasskey')}
                </Button>
              )}
              <Button type="primary" htmlType="submit" loading={isBusy}>
                {t('common.continue')}
              </Button>
            </div>
          </Form>
        </div>
      </Spin>
    </Dialog>
  );
}
