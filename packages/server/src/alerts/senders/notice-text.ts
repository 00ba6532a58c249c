import type { Notice } from './notice.ts';

/** The subject of a mail about these notices. */
export function noticeSubject(notices: readonly Notice[]): string {
  const [first, ...others] = notices;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `[Waxwing] ${first?.subject ?? 'No notices'}${more}`;
}

export interface NoticeText {
  readonly text: string;
  /** How many of the notices it holds. */
  readonly count: number;
}

/**
 * The text of a mail or a message about these notices. As many of them are told as fit, and how many follow.
 * Robots may ask for a keyword in each message: `Waxwing` is always there.
 * @param fits whether a text is not too long for the receiver
 */
export function noticeText(notices: readonly Notice[], fits: (text: string) => boolean): NoticeText {
  const head = notices.length === 1 ? 'Waxwing' : `Waxwing: ${notices.length} notices`;
  const told = notices.map(paragraphOf);
  const textOf = (count: number) => join(head, told.slice(0, count), notices.length - count);
  if (fits(textOf(told.length))) return { text: textOf(told.length), count: told.length };
  const count = most(told.length - 1, (some) => fits(textOf(some)));
  if (count > 0) return { text: textOf(count), count };
  // Not even the first one fits: it is cut between two characters.
  const characters = [...(told[0] ?? '')];
  const cut = (length: number) => join(head, [`${characters.slice(0, length).join('')}…`], told.length - 1);
  return { text: cut(most(characters.length, (length) => fits(cut(length)))), count: 1 };
}

function join(head: string, told: readonly string[], more: number): string {
  return [head, ...told, ...(more === 0 ? [] : [`and ${more} more`])].join('\n\n');
}

/** The largest number up to a limit that fits, or 0. Whatever is less than one that fits does so too. */
function most(limit: number, fits: (number: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function paragraphOf({ subject, detail, organization, at }: Notice): string {
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const place = organization === null ? 'This instance' : `Organization ${organization.name}`;
  return [subject, detail, `${place}, ${time}`].filter((line) => line !== '').join('\n');
}
