import { createOperator } from '@waxwing/contract/management-api/instance-account-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { OneTimeLink } from '../../parts/one-time-link.tsx';
import { ShownOnceModal } from '../../parts/shown-once-modal.tsx';

/** Lets somebody run the instance: the link is shown once, and whoever makes it hands it over. */
export function CreateOperatorModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const creating = useChange(createOperator);
  const { data } = creating;
  if (data !== undefined) {
    return (
      <ShownOnceModal
        title={t('instanceAccounts.created', { email: data.email })}
        okText={t('members.linkKept')}
        onEnd={onEnd}
      >
        <OneTimeLink link={data.link} expiresAt={data.expires_at} warning={t('instanceAccounts.linkOnce')} />
      </ShownOnceModal>
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
