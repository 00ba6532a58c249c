/** How the sealed things of one kind are gone through. */
interface SealedRows<Row> {
  /** The next rows in the order of their places, after one of them. */
  read(after: string, limit: number): Promise<readonly Row[]>;
  placeOf(row: Row): string;
  /** @throws SealError when it does not open */
  open(row: Row): void;
  /** What it is, for people. */
  nameOf(row: Row): string;
}

const rowsPerRead = 500;

/** Opens all of them, and names those that do not open. */
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
