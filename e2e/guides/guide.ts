import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page. */
export interface CodeBlock {
  /** The nearest heading above it. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
  /** Where the reader pastes it. */
  readonly place: Place;
  /** Why the story of all guides skips it. */
  readonly notRun?: string;
}

/** By a comment above the block, such as `<!-- story: another machine -->`. By default the reader's terminal. */
const places = [
  'the terminal of the server',
  'a program in a terminal of its own',
  'another machine',
  'with the server stopped',
] as const;

export type Place = (typeof places)[number] | "the reader's terminal";

function placeOf(line: string, page: string): Pick<CodeBlock, 'place' | 'notRun'> {
  const [, said] = /^<!-- story: (.+) -->$/.exec(line) ?? [];
  const [, notRun] = /^not run: (.+)$/.exec(said ?? '') ?? [];
  if (said === undefined || notRun !== undefined) {
    return { place: "the reader's terminal", ...(notRun !== undefined && { notRun }) };
  }
  const place = places.find((each) => each === said);
  if (place === undefined) throw new Error(`${page} has a block for an unknown place: ${said}`);
  return { place };
}

/** @param page path from the root of the repository */
export function readCodeBlocks(page: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  let above = '';
  let open: (Omit<CodeBlock, 'text' | 'heading'> & { readonly lines: string[] }) | undefined;
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const [, language] = /^```(\w*)$/.exec(line) ?? [];
    if (open !== undefined && language === '') {
      const { lines, ...block } = open;
      blocks.push({ heading, ...block, text: `${lines.join('\n')}\n` });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (language !== undefined) open = { language, lines: [], ...placeOf(above, page) };
    else if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
    above = line;
  }
  if (open !== undefined) throw new Error(`a code block of ${page} is not closed`);
  return blocks;
}

/** The blocks under one heading. @throws when there is none */
export function blocksUnder(page: string, heading: string, language = 'sh'): readonly string[] {
  const found = readCodeBlocks(page).filter((block) => block.heading === heading && block.language === language);
  if (found.length === 0) throw new Error(`${page} has no ${language} block under "${heading}"`);
  return found.map(({ text }) => text);
}

/** Replaces the reader's addresses, ports and folders by the story's. @throws when one of them is missing */
export function adapt(text: string, exchanged: Readonly<Record<string, string>>): string {
  return Object.entries(exchanged).reduce((adapted, [from, to]) => {
    if (!adapted.includes(from)) throw new Error(`"${from}" is not in the block:\n${text}`);
    return adapted.replaceAll(from, to);
  }, text);
}
