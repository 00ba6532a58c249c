import { mostRequestedNames, type NameFault, readRequestedName } from '@waxwing/contract/requested-names.ts';

/** What is said of a name that was typed. */
export interface TypedName {
  /** As a certificate has it; as it was typed where that is no name. */
  readonly text: string;
  /** `address`: only some profiles allow it, which the server decides. */
  readonly kind: 'name' | 'wildcard' | 'address' | NameFault;
}

export interface TypedNames {
  /** Each once, in the order in which they were typed. */
  readonly names: readonly TypedName[];
  /** How many were there already. */
  readonly doubles: number;
  readonly hasWildcard: boolean;
  readonly hasFault: boolean;
  readonly isTooMany: boolean;
}

/** Reads names as they are typed: one a line, or with spaces, commas and semicolons between them. Pure. */
export function readTypedNames(text: string): TypedNames {
  const typed = text.split(/[\s,;，；、]+/).filter((part) => part !== '');
  const read = typed.map(readName);
  const names = [...new Map(read.map((name) => [name.text, name])).values()];
  return {
    names,
    doubles: read.length - names.length,
    hasWildcard: names.some(({ kind }) => kind === 'wildcard'),
    hasFault: names.some(({ kind }) => kind !== 'name' && kind !== 'wildcard' && kind !== 'address'),
    isTooMany: names.length > mostRequestedNames,
  };
}

function readName(text: string): TypedName {
  const read = readRequestedName(text);
  if (read.kind === 'fault') return { text, kind: read.fault };
  if (read.kind === 'address') return { text: read.address, kind: 'address' };
  return { text: read.name, kind: read.name.startsWith('*.') ? 'wildcard' : 'name' };
}
