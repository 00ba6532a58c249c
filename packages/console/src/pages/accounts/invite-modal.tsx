import type { Role } from '@waxwing/contract/management-api/action-roles.ts';
import { createInvitation } from '@waxwing/contract/management-api/member-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { OneTimeLink } from '../../parts/one-time-link.tsx';
import { RoleField } from '../../parts/role-field.tsx';
import { ShownOnceModal } from '../../parts/shown-once-modal.tsx';

/** Invites somebody: the link is shown once, and whoever invites hands it over. */
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
      <ShownOnceModal title={t('members.invited', { email: data.email })} okText={t('members.linkKept')} onEnd={onEnd}>
        <OneTimeLink link={data.link} expiresAt={data.expires_at} warning={t('members.linkOnce')} />
      </ShownOnceModal>
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
