import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A fenced piece of a page, as it stands there. */
export interface CodeBlock {
  /** The nearest heading above it, without its marks. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** @param page its path from the root of the repository */
export function readCodeBlocks(page: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  let open: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const [, language] = /^```(\w*)$/.exec(line) ?? [];
    if (open !== undefined && language === '') {
      blocks.push({ heading, language: open.language, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (language !== undefined) open = { language, lines: [] };
    else if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  if (open !== undefined) throw new Error(`a code block of ${page} is not closed`);
  return blocks;
}

/** The blocks under one heading. @throws when there is none: the story would show nothing */
export function blocksUnder(page: string, heading: string, language = 'sh'): readonly string[] {
  const found = readCodeBlocks(page).filter((block) => block.heading === heading && block.language === language);
  if (found.length === 0) throw new Error(`${page} has no ${language} block under "${heading}"`);
  return found.map(({ text }) => text);
}

/**
 * A block with what it names of the reader's machine exchanged for what the story has: addresses, ports, folders.
 * @throws when something to be exchanged is not in it
 */
export function adapt(text: string, exchanged: Readonly<Record<string, string>>): string {
  return Object.entries(exchanged).reduce((adapted, [from, to]) => {
    if (!adapted.includes(from)) throw new Error(`"${from}" is not in the block:\n${text}`);
    return adapted.replaceAll(from, to);
  }, text);
}
