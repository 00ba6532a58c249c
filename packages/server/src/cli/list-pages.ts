import type { Arguments, Option } from './command.ts';
import type { Part } from './exchange/api-server.ts';
import { mapped, wholeNumber } from './option-values.ts';

/** How a list comes in pages. */
export interface ListPages<Row> {
  readonly options: Readonly<Record<string, Option>>;
  /** The part that the options ask for. */
  part(args: Arguments): Part;
  /** The line below a full page that tells people how to see the next one. */
  next(page: readonly Row[], args: Arguments): string;
}

interface ListOrder<Row> {
  /** How many rows are shown without `--limit`. */
  readonly standard: number;
  /** The option that goes on behind a row. */
  readonly from: string;
  /** Absent: the command has it among its filters. */
  readonly option?: Omit<Option, 'type'>;
  /** Absent: its value is an id. */
  place?(option: string, text: string): Part['after'];
  /** Its value for what follows a row. */
  behind(last: Row): string | number;
}

const mostRows = 1000;

export function listPages<Row>({ standard, from, option, place, behind }: ListOrder<Row>): ListPages<Row> {
  const limitOf = (args: Arguments) => wholeNumber('limit', args.optional('limit') ?? String(standard), 1, mostRows);
  return {
    options: {
      limit: { type: 'string', value: 'N', help: `Show at most N, 1 to ${mostRows} (default ${standard})` },
      ...(option !== undefined && { [from]: { type: 'string', ...option } }),
    },
    part: (args) => ({
      limit: limitOf(args),
      after: option && mapped(args, from, place ?? ((_option, text) => text)),
    }),
    next(page, args) {
      const last = page.at(-1);
      if (last === undefined || page.length < limitOf(args)) return '';
      return `\n\nThere may be more: --${from} ${behind(last)}`;
    },
  };
}

export const oldestFirst = listPages<{ readonly id: string }>({
  standard: 1000,
  from: 'after',
  option: { value: 'ID', help: 'Go on after this id' },
  behind: ({ id }) => id,
});

export const newestFirst = listPages<{ readonly id: string }>({
  standard: 100,
  from: 'before',
  option: { value: 'ID', help: 'Go on before this id' },
  behind: ({ id }) => id,
});

export const byPhoneNumber = listPages<{ readonly number: string }>({
  standard: 1000,
  from: 'after',
  option: { value: 'NUMBER', help: 'Go on after this number' },
  behind: ({ number }) => number,
});
