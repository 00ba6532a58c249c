import { createHash } from 'node:crypto';

/** Letters and digits of DNS names, which have no case. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const labelLength = 26;

/**
 * Where `_acme-challenge.DOMAIN` of an organization has to point: one name in our zone for each, the same at every
 * renewal. Nobody can have it for a domain of another organization.
 * @param domain without `*.`
 */
export function delegationTarget(zone: string, organizationId: string, domain: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([organizationId, domain]))
    .digest();
  const label = Array.from(hash.subarray(0, labelLength), (byte) => alphabet[byte & 31]).join('');
  return `${label}.${zone}`;
}

/** Where the record of a name stands. @param domain also with `*.` */
export function challengeName(domain: string): string {
  return `_acme-challenge.${withoutWildcard(domain)}`;
}

export function withoutWildcard(domain: string): string {
  return domain.replace(/^\*\./, '');
}
