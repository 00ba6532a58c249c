import type { Role } from '@waxwing/contract/management-api/action-roles.ts';
import { createInvitation } from '@waxwing/contract/management-api/operations/member-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { OneTimeLinkModal } from '../../parts/dialogs/one-time-link-modal.tsx';
import { EmailField } from '../../parts/forms/email-field.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { RoleField } from '../../parts/forms/role-field.tsx';

/** Invites a person. The link is shown once and handed over by the inviter. */
export function InviteModal({
  organizationId,
  onEnd,
}: {
  readonly organizationId: string;
  readonly onEnd: () => void;
}) {
  const { t } = useTranslation();
  const inviting = useChange(createInvitation);
  const { data } = inviting;
  if (data !== undefined) {
    return (
      <OneTimeLinkModal
        title={t('members.invited', { email: data.email })}
        warning={t('members.linkOnce')}
        made={data}
        onEnd={onEnd}
      />
    );
  }
  return (
    <FormModal<{ email: string; role: Role }>
      title={t('members.invite')}
      lead={t('members.inviteLead')}
      submit={t('members.inviteSubmit')}
      width={440}
      initialValues={{ role: 'developer' }}
      saving={inviting}
      onSave={({ email, role }) =>
        inviting.mutate({ params: { organization_id: organizationId }, body: { email: email.trim(), role } })
      }
      onEnd={onEnd}
    >
      <EmailField />
      <RoleField organizationId={organizationId} />
    </FormModal>
  );
}
