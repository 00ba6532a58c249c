import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import {
  type listAccounts,
  resetAccount,
} from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { OneTimeLinkModal } from '../../parts/dialogs/one-time-link-modal.tsx';

/** Makes a one-time link for a person who can no longer sign in. */
export function ResetAccountButton({ account }: { readonly account: ItemOf<typeof listAccounts> }) {
  const { t } = useTranslation();
  const resetting = useChange(resetAccount);
  const [made, setMade] = useState<AnswerOf<typeof resetAccount>>();
  const { id, email } = account;
  return (
    <>
      <ConfirmButton
        size="small"
        text={t('instanceAccounts.reset')}
        label={t('instanceAccounts.resetNamed', { email })}
        title={t('instanceAccounts.resetTitle', { email })}
        what={t('instanceAccounts.resetWhat')}
        change={resetting}
        input={{ params: { account_id: id } }}
        onDone={setMade}
      />
      {made !== undefined && (
        <OneTimeLinkModal
          title={t('instanceAccounts.resetDone', { email })}
          warning={t('instanceAccounts.linkOnce')}
          made={made}
          onEnd={() => setMade(undefined)}
        />
      )}
    </>
  );
}
