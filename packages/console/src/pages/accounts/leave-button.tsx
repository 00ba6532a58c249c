import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { leaveOrganization } from '@waxwing/contract/management-api/operations/member-operations.ts';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../../api/api-context.tsx';
import type { InputOf } from '../../api/call.ts';
import { meQuery } from '../../api/me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import type { Confirmed } from '../../parts/dialogs/confirm-dialog.tsx';
import { forgetOrganization } from '../shell/recent-organization.ts';

/** Ends the person's own membership, and leaves the organization's pages. */
export function LeaveButton({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leaving = useChange(leaveOrganization);
  async function goAway(): Promise<void> {
    forgetOrganization();
    // Read again, so that the start page does not lead back to this organization.
    await client.fetchQuery({ ...meQuery(api), staleTime: 0 }).catch(() => undefined);
    await navigate({ to: '/', replace: true });
  }
  const change: Confirmed<InputOf<typeof leaveOrganization>> = {
    ...leaving,
    // As a promise: this page may be gone before the answer has come, because its list is no longer theirs to read. The
    // callbacks of `mutate` are not called then.
    mutate: (input) => void leaving.mutateAsync(input).then(goAway, () => undefined),
  };
  return (
    <ConfirmButton
      danger
      size="small"
      text={t('members.leave')}
      title={t('members.leaveTitle')}
      what={t('members.leaveWhat')}
      change={change}
      input={{ params: { organization_id: organizationId } }}
    />
  );
}
