import { damaged, type Unreadable } from './unreadable.ts';

/** One armoured block (RFC 7468), or an older one with header lines (RFC 1421: `Proc-Type`, `DEK-Info`). */
export interface PemBlock {
  readonly label: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
}

interface PemText {
  readonly blocks: readonly PemBlock[];
  /** Why blocks could not be read. */
  readonly faults: readonly Unreadable[];
}

const begin = '-----BEGIN ';
const dashes = '-----';
const labelForm = /^[A-Z0-9][A-Z0-9 #]{0,62}$/;
const headerForm = /^([A-Za-z0-9-]{1,64}):(.*)$/;

/** A hostile text of 256 KiB can hold thousands of empty blocks. */
export const maxPemBlocks = 128;

/**
 * Finds the PEM blocks of a text. Markers count anywhere in a line: people join files without a line feed.
 * @param most the limit on blocks, for texts of strangers
 */
export function readPem(text: string, most = maxPemBlocks): PemText {
  const blocks: PemBlock[] = [];
  const faults: Unreadable[] = [];
  const sections = text.split(begin).slice(1);
  if (sections.length > most) return { blocks, faults: [damaged('too_many_blocks', { most })] };
  for (const section of sections) {
    const labelEnd = section.indexOf(dashes);
    const label = section.slice(0, labelEnd);
    if (labelEnd < 0 || !labelForm.test(label)) continue;
    const bodyStart = labelEnd + dashes.length;
    const bodyEnd = section.indexOf(`${dashes}END ${label}${dashes}`, bodyStart);
    if (bodyEnd < 0) {
      faults.push(damaged('block_without_end', { label }));
      continue;
    }
    const { headers, base64 } = splitBody(section.slice(bodyStart, bodyEnd));
    const bytes = decodeBase64(base64);
    if (bytes === undefined) faults.push(damaged('block_not_base64', { label }));
    else blocks.push({ label, headers, bytes });
  }
  return { blocks, faults };
}

/** Header lines stand first, if at all. Everything after the first line of data is data. */
function splitBody(body: string): { headers: ReadonlyMap<string, string>; base64: string } {
  const headers = new Map<string, string>();
  const lines = body.split(/\r\n|\r|\n/);
  let dataStart = 0;
  for (const line of lines) {
    const [, name, value] = headerForm.exec(line.trim()) ?? [];
    if (name !== undefined && value !== undefined) headers.set(name, value.trim());
    else if (line.trim() !== '') break;
    dataStart += 1;
  }
  return { headers, base64: lines.slice(dataStart).join('') };
}

/** Stricter than `Buffer.from`, which skips unknown characters: a damaged block must not pass. */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  const bytes = Buffer.from(compact, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === compact ? bytes : undefined;
}

/** One block: base64 in lines of 64 characters, LF only, one newline at the end. */
export function writePem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `${begin}${label}${dashes}\n${lines.join('\n')}\n${dashes}END ${label}${dashes}\n`;
}
