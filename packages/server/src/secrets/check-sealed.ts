/** The sealed values of one kind: how they are read, opened and named. */
interface SealedRows<Row> {
  /** The next rows after the place `after`, in the order of places. */
  read(after: string, limit: number): Promise<readonly Row[]>;
  placeOf(row: Row): string;
  /** @throws SealError when the value does not open */
  open(row: Row): void;
  /** The value's name in a fault: `secret X of push setting Y`. */
  nameOf(row: Row): string;
}

const rowsPerRead = 500;

/** Opens every value once. @returns their number, and a line for each that does not open */
export async function checkSealed<Row>(rows: SealedRows<Row>): Promise<{ sealed: number; faults: string[] }> {
  const faults: string[] = [];
  let sealed = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const read: readonly Row[] = await rows.read(after, rowsPerRead);
    for (const row of read) {
      sealed += 1;
      try {
        rows.open(row);
      } catch (error) {
        faults.push(`${rows.nameOf(row)}: ${(error as Error).message}`);
      }
    }
    const last = read.at(-1);
    after = last && rows.placeOf(last);
  }
  return { sealed, faults };
}
