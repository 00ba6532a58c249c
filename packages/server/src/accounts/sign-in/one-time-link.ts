import type { OneTimeLinkRow } from '../../database/schema/account-tables.ts';
import { newId } from '../../runtime/clock.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { newSecretValue } from '../store/secret-value.ts';

/** How long a link is good, milliseconds. */
export const linkMs: Readonly<Record<OneTimeLinkRow['kind'], number>> = {
  activation: 15 * 60_000,
  reset: 15 * 60_000,
  invitation: 72 * 3_600_000,
};

/** A link as it is given to somebody: shown once, kept nowhere. */
export interface OneTimeLink {
  readonly url: SecretText;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The token stands behind `#`: browsers keep that to themselves, so it reaches no server's or proxy's log. */
export function linkUrl(baseUrl: string, token: SecretText): SecretText {
  return new SecretText(`${baseUrl}/console/welcome#token=${token.reveal()}`);
}

export type NewLink = Pick<OneTimeLinkRow, 'kind' | 'email' | 'account_id' | 'organization_id' | 'role' | 'created_by'>;

/** The row to store, and the link to show. */
export function newLink(link: NewLink, baseUrl: string, now: number): { row: OneTimeLinkRow; link: OneTimeLink } {
  const token = newSecretValue();
  const expiresAt = now + linkMs[link.kind];
  return {
    row: { ...link, id: newId(now), hash: token.hash, created_at: now, expires_at: expiresAt },
    link: { url: linkUrl(baseUrl, token.clear), expiresAt },
  };
}
