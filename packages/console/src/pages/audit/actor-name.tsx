import { showAccount } from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { listMembers } from '@waxwing/contract/management-api/operations/member-operations.ts';
import { useAnswer, usePages } from '../../api/api-context.tsx';
import { useMay, useMe } from '../../api/use-me.ts';

interface ActorNameProps {
  /** As in the audit trail: `account:…`, `key:…`, `cli`. */
  readonly actor: string;
  readonly organizationId?: string | undefined;
}

/** An actor: people by their email address where the reader may know it, others as in the trail. */
export function ActorName({ actor, organizationId }: ActorNameProps) {
  const me = useMe();
  const [kind, id = ''] = actor.split(':');
  if (kind !== 'account') return <span className="mono">{actor}</span>;
  if (id === me.id) return <span title={actor}>{me.email}</span>;
  return <PersonName accountId={id} organizationId={organizationId} />;
}

function PersonName({ accountId, organizationId }: { accountId: string; organizationId: string | undefined }) {
  const may = useMay(organizationId);
  const mayAsk = may(showAccount);
  const account = useAnswer(showAccount, { params: { account_id: accountId } }, { enabled: mayAsk });
  const members = usePages(
    listMembers,
    { params: { organization_id: organizationId ?? '' } },
    { enabled: !mayAsk && organizationId !== undefined },
  );
  const email = account.data?.email ?? members.items?.find(({ account_id }) => account_id === accountId)?.email;
  return email === undefined ? (
    <span className="mono">account:{accountId}</span>
  ) : (
    <span title={`account:${accountId}`}>{email}</span>
  );
}
