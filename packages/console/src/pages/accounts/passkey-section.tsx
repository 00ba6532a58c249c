import { EditOutlined } from '@ant-design/icons';
import {
  addPasskey,
  beginPasskeyEnrolment,
  removePasskey,
  renamePasskey,
  type showFactors,
} from '@waxwing/contract/management-api/account-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Mark } from '../../parts/mark.tsx';
import { canUsePasskeys, makePasskey } from '../../parts/passkey.ts';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

type Passkey = AnswerOf<typeof showFactors>['passkeys'][number];

export function PasskeySection({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const { t } = useTranslation();
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey>();
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
      {passkeys.map((passkey) => (
        <div key={passkey.id} className="settings-row">
          <div>
            <div className="break-anywhere">
              {passkey.name}{' '}
              <Button
                type="text"
                size="small"
                icon={<EditOutlined />}
                aria-label={t('account.passkeys.renameNamed', { name: passkey.name })}
                onClick={() => setRenamed(passkey)}
              />
            </div>
            <div className="quiet small">
              {t('account.since')} <Instant at={passkey.created_at} />
              {passkey.used_at !== null && (
                <>
                  {' · '}
                  {t('account.lastUsed')} <Instant at={passkey.used_at} />
                </>
              )}
            </div>
          </div>
          <ConfirmButton
            size="small"
            danger
            text={t('account.remove')}
            label={t('account.removeNamed', { name: passkey.name })}
            title={t('account.passkeys.removeTitle', { name: passkey.name })}
            what={t('account.passkeys.removeWhat')}
            change={removing}
            input={{ params: { passkey_id: passkey.id } }}
          />
        </div>
      ))}
      {renamed !== undefined && <RenameModal passkey={renamed} onEnd={() => setRenamed(undefined)} />}
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
      <NameField />
    </FormModal>
  );
}

function RenameModal({ passkey, onEnd }: { readonly passkey: Passkey; readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const renaming = useChange(renamePasskey);
  return (
    <FormModal<{ name: string }>
      title={t('account.passkeys.rename')}
      width={440}
      initialValues={{ name: passkey.name }}
      saving={renaming}
      onSave={({ name }) =>
        renaming.mutate({ params: { passkey_id: passkey.id }, body: { name: name.trim() } }, { onSuccess: onEnd })
      }
      onEnd={onEnd}
    >
      <NameField />
    </FormModal>
  );
}

function NameField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="name"
      label={t('account.passkeys.name')}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      style={{ marginBlockEnd: 0 }}
    >
      <Input autoFocus maxLength={200} placeholder={t('account.passkeys.namePlaceholder')} />
    </Form.Item>
  );
}
