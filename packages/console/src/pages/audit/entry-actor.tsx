import { useTranslation } from 'react-i18next';
import type { AuditEntry } from './audit-entry.ts';

interface EntryActorProps {
  readonly entry: Pick<AuditEntry, 'actor' | 'actor_name'>;
  readonly organizationId?: string | undefined;
}

/** The actor by name, where the reader may know it; the id on hover. */
export function EntryActor({ entry: { actor, actor_name: name }, organizationId }: EntryActorProps) {
  const { t } = useTranslation();
  if (name !== null) return <span title={actor}>{name}</span>;
  const unnamed = {
    // The trail of the instance names every account that exists.
    account: t(organizationId === undefined ? 'deployments.deleted' : 'audit.noMember'),
    key: t(organizationId === undefined ? 'deployments.deleted' : 'audit.unknownKey'),
    deployment: t('deployments.deleted'),
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
