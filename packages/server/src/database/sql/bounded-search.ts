/** Which part of a list: so many rows after a position. */
export interface Part {
  readonly take: number;
  readonly after: string | undefined;
}

/** What was found of a list, and how far it was looked through. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  /** The last row looked at, where more may follow behind it. */
  readonly reached?: Row;
}

interface Look<Row> {
  /** The next rows of the list in its order, behind `after`. */
  read(after: Row | undefined, limit: number): Promise<readonly Row[]>;
  wanted(row: Row): boolean;
  /** How many are wanted. */
  readonly take: number;
  /** How many rows are looked at, about; less than usual where a row costs more. */
  readonly most?: number;
  /** As how many usual rows one counts, where their sizes differ much. */
  readonly cost?: (row: Row) => number;
  /** How many are read at once at most. */
  readonly atOnce?: number;
}

const rowsPerRead = 500;
const usualLook = 1_000;

/**
 * Finds rows of a list that no index picks out, by going through a bounded part of it. An index of its own would cost
 * every write of a hot table for the sake of a question that people ask now and then.
 */
export async function searchBounded<Row>(look: Look<Row>): Promise<Found<Row>> {
  const { read, wanted, take, most = usualLook, cost, atOnce = rowsPerRead } = look;
  const rows: Row[] = [];
  let reached: Row | undefined;
  // Where nearly everything is wanted, the first reading is enough.
  for (let looked = 0, limit = Math.min(atOnce, 2 * take); looked < most; ) {
    const part = await read(reached, limit);
    rows.push(...part.filter(wanted).slice(0, take - rows.length));
    if (rows.length === take || part.length < limit) return { rows };
    reached = part.at(-1);
    looked += cost === undefined ? limit : part.reduce((sum, row) => sum + cost(row), 0);
    limit = Math.min(atOnce, Math.max(most - looked, 1));
  }
  return reached === undefined ? { rows } : { rows, reached };
}
