import type { Fault } from '@waxwing/contract/management-api/shared-schemas.ts';

/** The limit of one import. */
export const mostFiles = 20;

export interface DroppedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** As the operation takes it. */
  readonly content:
    | { readonly name: string; readonly text: string }
    | { readonly name: string; readonly base64: string };
}

/** PEM goes as the text that it is, all else in base64. */
export async function readDroppedFile(file: Pick<File, 'name' | 'size' | 'arrayBuffer'>): Promise<DroppedFile> {
  const { name, size } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = pemText(bytes);
  return { name, size, content: text === undefined ? { name, base64: base64Of(bytes) } : { name, text } };
}

function pemText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('-----BEGIN ') && !text.includes('\0') ? text : undefined;
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  // The bytes of a large file would not fit the stack as arguments of one call.
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(text);
}

/** A file replaces a former one of the same name. */
export function withFiles(present: readonly DroppedFile[], added: readonly DroppedFile[]): readonly DroppedFile[] {
  const names = new Set(added.map(({ name }) => name));
  return [...present.filter(({ name }) => !names.has(name)), ...added];
}

/** The faults by file. The others are about the certificate, its key or the password. */
export function faultsByFile(
  names: readonly string[],
  faults: readonly Fault[],
): { readonly byFile: ReadonlyMap<string, readonly Fault[]>; readonly others: readonly Fault[] } {
  const byFile = new Map<string, readonly Fault[]>();
  const others: Fault[] = [];
  for (const fault of faults) {
    const about = names.find((name) => name === fault.file || name === fault.field) ?? fileAt(names, fault.field);
    if (about === undefined) others.push(fault);
    else byFile.set(about, [...(byFile.get(about) ?? []), fault]);
  }
  return { byFile, others };
}

/** `files[2]`, `files[2].name`: what the schema complains about. */
function fileAt(names: readonly string[], field: string): string | undefined {
  const [, index] = /^files\[(\d+)\]/.exec(field) ?? [];
  return index === undefined ? undefined : names[Number(index)];
}
