import type { KeyObject } from 'node:crypto';
import type { Database, Db } from '../../database/database.ts';
import type { PushSecretRow, PushSettingRow } from '../../database/schema/push-tables.ts';
import { requireSealingKey } from '../../database/sealing-key.ts';
import { lockOrganization } from '../../organizations/organization.ts';
import {
  FORMER_SECRETS,
  issueSigningSecret,
  keysSigning,
  parseSigningSecret,
  ROTATION_MS,
} from '../../outbound/signature.ts';
import { newId, toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import { SealError, seal } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { pushSecretContext } from './push-setting.ts';
import type { PushSettingRequest, SecretChange } from './push-setting-change.ts';
import {
  deleteSecret,
  deleteSecrets,
  findSecrets,
  findSetting,
  insertSecret,
  replaceSecret,
} from './push-setting-store.ts';
import { openSecret } from './sealed-push-secrets.ts';
import { readFacts } from './setting-facts.ts';

/** A secret that a setting is to have from now on, or `none`; undefined when it keeps what it has. */
export type NewSecret = KnownSecret | 'none' | undefined;

interface KnownSecret {
  readonly text: SecretText;
  /** Of one that the customer brought along, which may be in use already. A generated one is new to everybody. */
  readonly givenKey?: KeyObject;
}

/**
 * The secret that a request asks for: a generated one is made here.
 * @throws Problem `invalid_parameter` naming `secret` for one that is none
 */
export function toNewSecret(secret: PushSettingRequest['secret']): NewSecret {
  if (secret === 'generate') return { text: issueSigningSecret() };
  if (secret === undefined || secret === 'none') return secret;
  const givenKey = parseSigningSecret(secret);
  if (givenKey !== undefined) return { text: secret, givenKey };
  throw refuse('secret must be generate, none, or whsec_ and the base64 of 24 to 64 bytes.');
}

function refuse(detail: string): Problem {
  return new Problem('invalid_parameter', { field: 'secret', detail });
}

interface Change {
  readonly database: Database;
  readonly ring: KeyRing;
  readonly at: number;
}

/**
 * Inside the transaction that changes the setting, whose row is locked. Each former secret signs for 24 h from when it
 * was replaced; `none` ends all of them at once.
 * @throws Problem `invalid_parameter` naming `secret` for one by which the organization's other setting signs; `conflict`
 * when too many former ones sign
 */
export async function changeSecret(
  trx: Db,
  row: PushSettingRow,
  secret: KnownSecret | 'none',
  change: Change,
): Promise<SecretChange> {
  const { ring, at } = change;
  if (secret === 'none') {
    await deleteSecrets(trx, row);
    return 'none';
  }
  const { text, givenKey } = secret;
  await deleteSecrets(trx, row, at - ROTATION_MS);
  const held = await findSecrets(trx, [row]);
  const same = givenKey === undefined ? [] : held.filter((each) => isKey(each, givenKey, ring));
  if (same.some(({ replaced_at }) => replaced_at === null)) return 'unchanged';
  if (givenKey !== undefined) await requireUnused(trx, row, givenKey, change);
  requireRoom(held.filter((each) => !same.includes(each)));
  // Back to a former one: it would sign twice, and end as the former one that it was.
  for (const each of same) await deleteSecret(trx, each);
  await replaceSecret(trx, row, at);
  await keepSecret(trx, row, text, ring, at);
  return 'new';
}

/** Not so of one that no longer opens: it has to be replaced all the same. */
function isKey(row: PushSecretRow, key: KeyObject, ring: KeyRing): boolean {
  try {
    return openSecret(row, ring).equals(key);
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

/** What is signed for one setting must prove nothing to the other. */
async function requireUnused(
  trx: Db,
  { organization_id: organizationId, kind }: PushSettingRow,
  key: KeyObject,
  { database, ring, at }: Change,
): Promise<void> {
  // The other setting may be given the same secret at this moment, or not exist yet. So the lock is on their
  // organization.
  await lockOrganization(trx, database, organizationId);
  const other = await findSetting(trx, organizationId, kind === 'status' ? 'uplink' : 'status');
  const secrets = other && (await readFacts(trx, [other.id], ring)).get(other.id)?.secrets;
  if (secrets === undefined || !keysSigning(secrets, at).some((used) => used.equals(key))) return;
  throw refuse(`secret is already that of the pushes of kind ${other?.kind}; each kind needs its own.`);
}

/** @param replaced what will be former secrets: the current one first, then the one replaced last */
function requireRoom(replaced: readonly PushSecretRow[]): void {
  const inTheWay = replaced[FORMER_SECRETS];
  if (inTheWay?.replaced_at == null) return;
  const until = toRfc3339(inTheWay.replaced_at + ROTATION_MS);
  throw new Problem('conflict', {
    field: 'secret',
    reason: 'too_many_secrets',
    parameters: { most: FORMER_SECRETS, until },
    detail:
      `${FORMER_SECRETS} former secrets sign still, each for 24 hours. Wait until ${until}, or remove the secret (none) ` +
      'first: that ends all of them at once.',
  });
}

async function keepSecret(trx: Db, row: PushSettingRow, secret: SecretText, keys: KeyRing, at: number): Promise<void> {
  await requireSealingKey(trx, keys.current.id);
  const id = newId(at);
  const context = pushSecretContext(row.organization_id, row.id, id);
  await insertSecret(trx, {
    organization_id: row.organization_id,
    setting_id: row.id,
    id,
    sealed: seal(keys, context, Buffer.from(secret.reveal())),
    key_id: keys.current.id,
    created_at: at,
    replaced_at: null,
  });
}
