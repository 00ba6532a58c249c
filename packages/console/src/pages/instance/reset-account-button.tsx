import { type listAccounts, resetAccount } from '@waxwing/contract/management-api/instance-account-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { OneTimeLink } from '../../parts/one-time-link.tsx';
import { ShownOnceModal } from '../../parts/shown-once-modal.tsx';

/** Lets somebody back in who cannot sign in any more, by a link that is shown once. */
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
        <ShownOnceModal
          title={t('instanceAccounts.resetDone', { email })}
          okText={t('members.linkKept')}
          onEnd={() => setMade(undefined)}
        >
          <OneTimeLink link={made.link} expiresAt={made.expires_at} warning={t('instanceAccounts.linkOnce')} />
        </ShownOnceModal>
      )}
    </>
  );
}
