import type { ApiAnswer } from '../exchange/api-server.ts';
import { textFacts, textTable } from '../text-table.ts';

/**
 * A new token for people, who see it this once, and how to try it.
 * @param title `The token`
 * @param url where a GET with the token changes nothing; undefined: there is none
 */
export function tokenLines(title: string, token: string, url?: string): readonly string[] {
  const shown = [`${title}, shown this once:`, `  ${token}`];
  return url === undefined ? shown : [...shown, 'Try it from an address on the list:', curl(url, token)];
}

/** To copy and paste into a shell. The token goes by stdin: every account of the machine may read arguments. */
function curl(url: string, token: string): string {
  return [`curl -sS -H @- ${url} <<'END'`, `Authorization: Bearer ${token}`, 'END'].join('\n');
}

export type RotatedToken = Pick<ApiAnswer<'rotateManagementKey'>, 'id' | 'token' | 'former_valid_until'>;

/** What a rotation prints. @param url as of `tokenLines` */
export function rotatedText({ id, token, former_valid_until }: RotatedToken, url?: string): string {
  const facts = textFacts({ id, 'former token valid until': former_valid_until });
  return [facts, '', ...tokenLines('The new token', token, url)].join('\n');
}

/** The tokens of one deployment or key, by their hints. */
export function tokenTable(tokens: ApiAnswer<'showManagementKey'>['tokens']): string {
  return textTable(
    tokens,
    {
      TOKEN: ({ hint }) => `${hint}…`,
      CREATED: ({ created_at }) => created_at,
      VALID: ({ expires_at }) => `until ${expires_at ?? 'rotated'}`,
    },
    'It has no token.',
  );
}

/** All of an allow-list. */
export const allowText = (allow: readonly string[]): string => allow.join(', ') || 'nobody';

/** As much of an allow-list as a column holds. */
export function allowCell(allow: readonly string[]): string {
  return allow.length > 3 ? `${allow.slice(0, 3)} +${allow.length - 3}` : allow.join(',') || 'nobody';
}
