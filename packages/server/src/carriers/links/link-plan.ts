import { createHash } from 'node:crypto';
import type { LinkTarget } from '@waxwing/carrier-session/open-connection.ts';
import { defaultLimits, type SessionLimits } from '@waxwing/carrier-session/session-options.ts';
import type { CarrierRow } from '../../database/schema/carrier-tables.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { readCarrierAddress } from '../carrier-address.ts';
import { spanMs } from '../link-span.ts';
import { openCarrierSecret } from '../sealed-carriers.ts';
import { type CarrierSettings, toSettings } from '../stored-carrier.ts';

/** All that the link of a stored carrier needs to know. */
export interface LinkPlan {
  readonly settings: CarrierSettings;
  readonly password: SecretText;
  readonly target: LinkTarget;
  readonly limits: SessionLimits;
  /** Another one means that the link has to be set up again. It tells nothing of the secrets. */
  readonly fingerprint: string;
  /** When an operator changed anything of the carrier, epoch milliseconds. */
  readonly changedAt: number;
}

/** @throws SealError when a secret does not open */
export function planLink(row: CarrierRow, ring: KeyRing): LinkPlan {
  const settings = toSettings(row);
  const password = openCarrierSecret(ring, 'sealed_password', row) ?? new SecretText('');
  const tlsKey = openCarrierSecret(ring, 'sealed_tls_key', row);
  return {
    settings,
    password,
    target: targetOf(settings, tlsKey),
    limits: {
      ...defaultLimits,
      window: settings.window,
      responseTimeoutMs: spanMs(settings.response_timeout),
      keepAliveMs: spanMs(settings.keep_alive),
    },
    fingerprint: fingerprintOf(settings, password, tlsKey),
    changedAt: row.updated_at,
  };
}

function targetOf(settings: CarrierSettings, tlsKey: SecretText | undefined): LinkTarget {
  const address = readCarrierAddress(settings.address);
  if (address === undefined) throw new TypeError('the address of a stored carrier was checked before');
  const { tls, tls_ca, tls_name, tls_certificate: certificate } = settings;
  if (tls === 'off') return { ...address, tls: undefined };
  const identity = certificate === null || tlsKey === undefined ? undefined : { certificate, key: tlsKey.reveal() };
  return { ...address, tls: { authorities: tls_ca ?? undefined, serverName: tls_name ?? undefined, identity } };
}

/** What only the choice among carriers depends on leaves the link alone. */
function fingerprintOf(settings: CarrierSettings, password: SecretText, tlsKey: SecretText | undefined): string {
  const { name: _name, enabled: _enabled, priority: _priority, weight: _weight, ...others } = settings;
  const { for_prefix: _prefix, for_organization: _organization, for_sender: _sender, ...link } = others;
  const all = JSON.stringify([link, password.reveal(), tlsKey?.reveal()]);
  return createHash('sha256').update(all).digest('base64');
}
