import { useMutation } from '@tanstack/react-query';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import {
  addPasskey,
  beginPasskeyEnrolment,
  removePasskey,
  renamePasskey,
  type showFactors,
} from '@waxwing/contract/management-api/operations/account-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { canUsePasskeys, isChangeOfMind, makePasskey } from '../../parts/dialogs/passkey.ts';
import { RenameButton } from '../../parts/dialogs/rename-button.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

type Passkey = AnswerOf<typeof showFactors>['passkeys'][number];

export function PasskeySection({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const { t } = useTranslation();
  const [isAdding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const renaming = useChange(renamePasskey);
  const removing = useChange(removePasskey);
  return (
    <Panel
      title={t('account.passkeys.title')}
      mark={passkeys.length > 0 && <Mark tone="good">{t('account.on')}</Mark>}
      actions={canUsePasskeys() && <Button onClick={() => setAdding(true)}>{t('account.passkeys.add')}</Button>}
    >
      <p className="quiet">{t(canUsePasskeys() ? 'account.passkeys.what' : 'account.passkeys.notHere')}</p>
      {passkeys.map((passkey) => (
        <div key={passkey.id} className="settings-row">
          <div>
            <div className="break-anywhere">
              {passkey.name}{' '}
              <RenameButton
                name={passkey.name}
                placeholder={t('account.passkeys.namePlaceholder')}
                change={renaming}
                toInput={(name) => ({ params: { passkey_id: passkey.id }, body: { name } })}
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
            text={t('common.remove')}
            label={t('common.removeNamed', { name: passkey.name })}
            title={t('account.passkeys.removeTitle', { name: passkey.name })}
            what={t('account.passkeys.removeWhat')}
            change={removing}
            input={{ params: { passkey_id: passkey.id } }}
          />
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
    </Panel>
  );
}

function AddModal({ onEnd }: { readonly onEnd: (recoveryCodes: readonly string[]) => void }) {
  const { t } = useTranslation();
  const { call } = useApi();
  const adding = useChange(addPasskey);
  const making = useMutation({
    mutationFn: async (name: string) => {
      const credential = await makePasskey(await call(beginPasskeyEnrolment, {}));
      return adding.mutateAsync({ body: { name, credential } });
    },
    onSuccess: ({ recovery_codes }) => onEnd(recovery_codes),
  });
  const { error, isPending } = making;
  return (
    <FormModal<{ name: string }>
      title={t('account.passkeys.add')}
      lead={t('account.passkeys.addLead')}
      submit={t('common.continue')}
      width={440}
      saving={{ error: isChangeOfMind(error) ? null : error, isPending }}
      onSave={({ name }) => making.mutate(name.trim())}
      onEnd={() => onEnd([])}
    >
      <TextField autoFocus name="name" label={t('common.name')} placeholder={t('account.passkeys.namePlaceholder')} />
    </FormModal>
  );
}
