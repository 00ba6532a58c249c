import type { Db } from '../database/connect.ts';
import type { PushSettingRow } from '../database/push-tables.ts';
import { lockSealingKey } from '../database/sealing-key.ts';
import { newId } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { seal } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { pushSecretContext } from './push-setting.ts';
import type { PushSettingRequest } from './push-setting-change.ts';
import { deleteSecrets, findSetting, insertSecret, replaceSecret } from './push-setting-store.ts';
import { readFacts } from './setting-facts.ts';
import { issueSigningSecret, parseSigningSecret, ROTATION_MS } from './signature.ts';

/** A secret that a setting is to have from now on, or `none`; undefined when it keeps what it has. */
export type NewSecret = SecretText | 'none' | undefined;

/**
 * The secret that a request asks for: a generated one is made here.
 * @throws Problem `invalid_parameter` naming `secret` for one that is none, or that the organization's other setting has:
 * what is signed for one of them must prove nothing to the other
 */
export async function toNewSecret(
  db: Db,
  ring: KeyRing,
  { organizationId, kind, secret }: Pick<PushSettingRequest, 'organizationId' | 'kind' | 'secret'>,
): Promise<NewSecret> {
  if (secret === 'generate') return issueSigningSecret();
  if (secret === undefined || secret === 'none') return secret;
  const key = parseSigningSecret(secret);
  if (key === undefined) {
    throw refuse('secret must be generate, none, or whsec_ and the base64 of 24 to 64 bytes.');
  }
  const other = await findSetting(db, organizationId, kind === 'status' ? 'uplink' : 'status');
  const known = other && (await readFacts(db, [other.id], ring)).get(other.id)?.secrets;
  if (known?.current.equals(key) || known?.previous?.key.equals(key)) {
    throw refuse(`secret is already that of the pushes of kind ${other?.kind}; each kind needs its own.`);
  }
  return secret;
}

function refuse(detail: string): Problem {
  return new Problem('invalid_parameter', { field: 'secret', detail });
}

/** Inside the transaction that changes the setting. The former secret signs beside a new one for 24 h. */
export async function changeSecret(
  trx: Db,
  row: PushSettingRow,
  secret: SecretText | 'none',
  keys: KeyRing,
  at: number,
): Promise<void> {
  if (secret === 'none') {
    await deleteSecrets(trx, row);
    return;
  }
  await deleteSecrets(trx, row, at - ROTATION_MS);
  await replaceSecret(trx, row, at);
  await keepSecret(trx, row, secret, keys, at);
}

/** Seals by the current key, which stays in use until the transaction ends. */
async function keepSecret(trx: Db, row: PushSettingRow, secret: SecretText, keys: KeyRing, at: number): Promise<void> {
  if (!(await lockSealingKey(trx, keys.current.id))) {
    throw new Problem('service_unavailable', { detail: 'The master key is being changed. Try again in a moment.' });
  }
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
