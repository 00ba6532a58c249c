import type { KeyObject } from 'node:crypto';
import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database, Db } from '../../database/database.ts';
import type { PushSecretRow } from '../../database/schema/push-tables.ts';
import { parseSigningSecret } from '../../outbound/signature.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { checkSealed } from '../../secrets/check-sealed.ts';
import { open, rewrap } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { pushSecretContext } from './push-setting.ts';
import { listSecretKeys, listSecrets, listSecretsSealedOtherwise, replaceSealedSecret } from './push-setting-store.ts';

/** The signing secrets of all push settings, as the master-key rotation sees them. */
export function sealedPushSecrets(database: Database, feed: ChangeFeed) {
  return {
    name: 'push secrets',
    keysInUse: (db: Db) => listSecretKeys(db),

    /** @throws SealError when a secret does not open: the rotation stops there, and the key it may need is kept. */
    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const secrets = await listSecretsSealedOtherwise(database.db, ring.current.id, limit);
      if (secrets.length === 0) return 0;
      await feed.write(async (trx, note) => {
        for (const secret of secrets) {
          const sealed = rewrap(ring, contextOf(secret), secret.sealed) ?? secret.sealed;
          await replaceSealedSecret(trx, secret, sealed, ring.current.id);
          note('push-setting', secret.setting_id);
        }
      });
      return secrets.length;
    },

    check: (ring: KeyRing) =>
      checkSealed<PushSecretRow>({
        read: (after, limit) => listSecrets(database.db, after, limit),
        placeOf: (row) => row.id,
        open: (row) => open(ring, contextOf(row), row.sealed).fill(0),
        nameOf: (row) => `secret ${row.id} of push setting ${row.setting_id}`,
      }),
  };
}

/** @throws when it does not open */
export function openSecret(row: PushSecretRow, ring: KeyRing): KeyObject {
  const text = open(ring, contextOf(row), row.sealed);
  try {
    const key = parseSigningSecret(new SecretText(text.toString()));
    if (key === undefined) throw new Error(`the secret of push setting ${row.setting_id} is none`);
    return key;
  } finally {
    text.fill(0);
  }
}

function contextOf(secret: PushSecretRow) {
  return pushSecretContext(secret.organization_id, secret.setting_id, secret.id);
}
