import { useTranslation } from 'react-i18next';
import type { AuditEntry } from './audit-table.tsx';

export interface EntryActorProps {
  readonly entry: Pick<AuditEntry, 'actor' | 'actor_name'>;
  readonly organizationId?: string | undefined;
}

/** Who did something, by name where that may be known; the id on hover. */
export function EntryActor({ entry: { actor, actor_name: name }, organizationId }: EntryActorProps) {
  const { t } = useTranslation();
  if (name !== null) return <span title={actor}>{name}</span>;
  const unnamed = {
    // The trail of the whole instance names everybody who is still there.
    account: t(organizationId === undefined ? 'audit.deleted' : 'audit.noMember'),
    key: t(organizationId === undefined ? 'audit.deleted' : 'audit.unknownKey'),
    deployment: t('audit.deleted'),
  };
  const words = unnamed[actor.slice(0, actor.indexOf(':')) as keyof typeof unnamed];
  return words === undefined ? (
    <span className="mono">{actor}</span>
  ) : (
    <span className="quiet" title={actor}>
      {words}
    </span>
  );
}
