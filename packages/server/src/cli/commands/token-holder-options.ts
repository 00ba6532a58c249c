import { type Arguments, type Command, type Option, Usage } from '../command.ts';
import type { ApiParts } from '../exchange/api-server.ts';
import { allowOf, either, expiry, mapped, momentText, onOff, present, span } from '../option-values.ts';

/** The fields of a change that the holders of tokens share. Absent fields stay as they are. */
export type HolderChanges = NonNullable<ApiParts<'updateMessagingKey'>['body']>;

/** @param doing what its addresses may do, such as `fetch` */
export function allowOption(doing: string): Option {
  return {
    type: 'string',
    multiple: true,
    value: 'CIDR[,CIDR]',
    help: `Addresses and networks that may ${doing}, such as 203.0.113.7,2001:db8::/32; "none" admits nobody`,
  };
}

export const expiresOption = {
  type: 'string',
  value: 'DATE|never',
  help: 'The last day (in UTC) or the moment until which it is good: 2030-01-31, 2030-01-31T12:00:00Z',
} as const satisfies Option;

/**
 * The options of every token holder. Each command adds its own `--allow`, which says what the addresses are admitted
 * to.
 */
export const holderOptions = {
  enable: { type: 'boolean', help: 'Accept its token' },
  disable: { type: 'boolean', help: 'Refuse its token as invalid' },
  expires: expiresOption,
  rename: { type: 'string', value: 'N', help: 'Its new name' },
} as const satisfies Record<string, Option>;

export function holderChanges(args: Arguments): HolderChanges {
  return {
    ...present('name', args.optional('rename')),
    ...present('enabled', either(args, 'enable', 'disable')),
    ...present('allow', allowOf(args)),
    ...present('expires_at', momentText(mapped(args, 'expires', expiry))),
  };
}

export const queryTokenOption = {
  type: 'string',
  value: 'on|off',
  help: 'Whether the token may come as key= in the URL',
} as const satisfies Option;

/** Of commands with `--permit` and `--forbid`. */
export const permissionNote =
  'A disabled token is refused as invalid (401). A forbidden one is known, and refused as one that may not (403).';

/** The changes that deployments and messaging keys have, and management keys have not. */
export function permissionChanges(args: Arguments): HolderChanges {
  return {
    ...present('permitted', either(args, 'permit', 'forbid')),
    ...present('query_token', mapped(args, 'query-token', onOff)),
  };
}

/** @throws Usage when the command was given nothing but the id */
export function requireChanges<Changes extends object>(changes: Changes, command: Pick<Command, 'name'>): Changes {
  if (Object.keys(changes).length === 0) throw new Usage('Nothing to change was named.', command.name);
  return changes;
}

/** How long the former token stays valid. */
export interface Rotation {
  readonly overlap_seconds: number;
}

export const overlapOption = {
  type: 'string',
  value: 'SPAN',
  help: 'How long the former token stays valid: 24h (default), 30m, 0 …',
} as const satisfies Option;

export function readRotation(args: Arguments): Rotation {
  const overlapMs = span('overlap', args.optional('overlap') ?? '24h', '30d');
  return { overlap_seconds: Math.round(overlapMs / 1000) };
}
