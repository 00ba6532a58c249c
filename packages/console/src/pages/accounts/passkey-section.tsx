import {
  addPasskey,
  beginPasskeyEnrolment,
  removePasskey,
  type showFactors,
} from '@waxwing/contract/management-api/account-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Mark } from '../../parts/mark.tsx';
import { canUsePasskeys, makePasskey } from '../../parts/passkey.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

type Passkey = AnswerOf<typeof showFactors>['passkeys'][number];

export function PasskeySection({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const { t } = useTranslation();
  const [isAdding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const removing = useChange(removePasskey);
  return (
    <section className="panel stack tight" aria-labelledby="passkey-section">
      <div className="row">
        <h2 id="passkey-section" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
          {t('account.passkeys.title')} {passkeys.length > 0 && <Mark tone="good">{t('account.on')}</Mark>}
        </h2>
        {canUsePasskeys() && <Button onClick={() => setAdding(true)}>{t('account.passkeys.add')}</Button>}
      </div>
      <p className="quiet">{t(canUsePasskeys() ? 'account.passkeys.what' : 'account.passkeys.notHere')}</p>
      {removing.error !== null && <ProblemAlert error={removing.error} />}
      {passkeys.map(({ id, name, created_at, used_at }) => (
        <div key={id} className="settings-row">
          <div>
            <div className="break-anywhere">{name}</div>
            <div className="quiet small">
              {t('account.since')} <Instant at={created_at} />
              {used_at !== null && (
                <>
                  {' · '}
                  {t('account.lastUsed')} <Instant at={used_at} />
                </>
              )}
            </div>
          </div>
          <Button
            size="small"
            danger
            aria-label={t('account.removeNamed', { name })}
            loading={removing.isPending && removing.variables?.params.passkey_id === id}
            onClick={() => removing.mutate({ params: { passkey_id: id } })}
          >
            {t('account.remove')}
          </Button>
        </div>
      ))}
      {isAdding && (
        <AddModal
          onEnd={(recovery) => {
            setAdding(false);
            setCodes(recovery);
          }}
        />
      )}
      {codes.length > 0 && <RecoveryCodesModal codes={codes} onEnd={() => setCodes([])} />}
    </section>
  );
}

function AddModal({ onEnd }: { readonly onEnd: (recoveryCodes: readonly string[]) => void }) {
  const { t } = useTranslation();
  const { call } = useApi();
  const adding = useChange(addPasskey);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function add(name: string): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const credential = await makePasskey(await call(beginPasskeyEnrolment, {}));
      const { recovery_codes } = await adding.mutateAsync({ body: { name, credential } });
      onEnd(recovery_codes);
    } catch (problem) {
      // Whoever closes the browser's own dialog has changed their mind.
      if (!(problem instanceof DOMException && problem.name === 'NotAllowedError')) setError(problem);
      setBusy(false);
    }
  }

  return (
    <FormModal<{ name: string }>
      title={t('account.passkeys.add')}
      lead={t('account.passkeys.addLead')}
      submit={t('common.continue')}
      width={440}
      saving={{ error, isPending: isBusy }}
      onSave={({ name }) => void add(name.trim())}
      onEnd={() => onEnd([])}
    >
      <Form.Item
        name="name"
        label={t('account.passkeys.name')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoFocus maxLength={200} placeholder={t('account.passkeys.namePlaceholder')} />
      </Form.Item>
    </FormModal>
  );
}
