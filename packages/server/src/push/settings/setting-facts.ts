import { type PushKind, pushParameters } from '@waxwing/contract/push-request.ts';
import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Change } from '../../database/change-log.ts';
import { type Db, isUnavailable } from '../../database/database.ts';
import type { PushSecretRow, PushSettingRow } from '../../database/schema/push-tables.ts';
import { suspendedOrganizations } from '../../organizations/organization.ts';
import { FORMER_SECRETS, type SigningSecrets } from '../../outbound/signature.ts';
import { parseTargetUrl, type TargetUrl } from '../../outbound/target-url.ts';
import { createBatcher } from '../../runtime/batcher.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { findSecrets, findSettings } from './push-setting-store.ts';
import { openUrl } from './sealed-push-queries.ts';
import { openSecret } from './sealed-push-secrets.ts';

/** What an attempt needs to know of its setting. */
export interface SettingFacts {
  readonly id: string;
  readonly organizationId: string;
  readonly kind: PushKind;
  /** Undefined when the stored URL is none any more, by rules that are newer than it. */
  readonly target: TargetUrl | undefined;
  readonly enabled: boolean;
  /** Of its organization: its pushes wait. */
  readonly suspended: boolean;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly concurrency: number;
  readonly secrets: SigningSecrets | undefined;
}

/**
 * Settings as attempts need them, read together for all lanes that ask at the moment. `onChanged` names the settings to
 * forget, so that the next attempt uses what is saved.
 */
export interface SettingFactsReader {
  /** Undefined when there is no such setting. @throws when the database does not answer, or a secret does not open */
  read(id: string): Promise<SettingFacts | undefined>;
  /** Hears the ids of settings and organizations that changed; `undefined` means that everything may have. */
  onChanged(listener: (ids: ReadonlySet<string> | undefined) => void): void;
}

interface Needs {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly ring: () => KeyRing;
}

const readsPerQuery = 200;
const readsWaiting = 100_000;

export function createSettingFactsReader({ db, feed, ring }: Needs): SettingFactsReader {
  const reads = createBatcher<string, SettingFacts | undefined>({
    maxGroup: readsPerQuery,
    maxWaiting: readsWaiting,
    isOutage: isUnavailable,
    async commit(ids) {
      const facts = await readFacts(db, ids, ring());
      return ids.map((id) => facts.get(id));
    },
  });
  return {
    read: (id) => reads.offer(id),
    onChanged(listener) {
      feed.listen((changes) => {
        const ids = changes?.filter(concerns).map(({ subjectId }) => subjectId);
        if (ids === undefined || ids.length > 0) listener(ids && new Set(ids));
      });
    },
  };
}

function concerns({ kind }: Change): boolean {
  return kind === 'push-setting' || kind === 'organization';
}

export async function readFacts(
  db: Db,
  ids: readonly string[],
  ring: KeyRing,
): Promise<ReadonlyMap<string, SettingFacts>> {
  const rows = await findSettings(db, ids);
  const secrets = Map.groupBy(await findSecrets(db, rows), (secret) => secret.setting_id);
  const suspended = await suspendedOrganizations(db, [...new Set(rows.map((row) => row.organization_id))]);
  return new Map(
    rows.map((row) => [
      row.id,
      toFacts(
        row,
        openUrl(row, ring),
        suspended.has(row.organization_id),
        openSecrets(secrets.get(row.id) ?? [], ring),
      ),
    ]),
  );
}

function toFacts(
  row: PushSettingRow,
  url: string,
  suspended: boolean,
  secrets: SigningSecrets | undefined,
): SettingFacts {
  const parsed = parseTargetUrl(url, pushParameters[row.kind]);
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    target: parsed.ok ? parsed.target : undefined,
    enabled: row.enabled === 1,
    suspended,
    timeoutMs: row.timeout_ms,
    retries: row.retries,
    concurrency: row.concurrency,
    secrets,
  };
}

/** @param rows the current one first, if there is one */
function openSecrets(rows: readonly PushSecretRow[], ring: KeyRing): SigningSecrets | undefined {
  const [current, ...others] = rows;
  if (current === undefined || current.replaced_at !== null) return undefined;
  // An earlier version kept as many as were replaced within a day.
  const former = others
    .slice(0, FORMER_SECRETS)
    .flatMap((row) => (row.replaced_at === null ? [] : [{ key: openSecret(row, ring), replacedAt: row.replaced_at }]));
  return { current: openSecret(current, ring), former };
}
