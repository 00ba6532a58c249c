import { createOperator } from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { OneTimeLinkModal } from '../../parts/dialogs/one-time-link-modal.tsx';
import { EmailField } from '../../parts/forms/email-field.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';

/** Creates an operator. The link is shown once and handed over by the creator. */
export function CreateOperatorModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const creating = useChange(createOperator);
  const { data } = creating;
  if (data !== undefined) {
    return (
      <OneTimeLinkModal
        title={t('instanceAccounts.created', { email: data.email })}
        warning={t('instanceAccounts.linkOnce')}
        made={data}
        onEnd={onEnd}
      />
    );
  }
  return (
    <FormModal<{ email: string }>
      title={t('instanceAccounts.create')}
      lead={t('instanceAccounts.createLead')}
      name="create-operator"
      submit={t('members.inviteSubmit')}
      width={440}
      saving={creating}
      onSave={({ email }) => creating.mutate({ body: { email: email.trim() } })}
      onEnd={onEnd}
    >
      <EmailField />
    </FormModal>
  );
}
