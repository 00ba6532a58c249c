import { ProviderFault } from './provider-fault.ts';

const removalMs = 15_000;

/**
 * Adds a record and removes it again. The removal has a time limit of its own, because nobody removes the record later:
 * neither the end of the time for the test nor a lost answer to `add` may leave it there.
 * @param add throws a ProviderFault that is not temporary where the record was refused; then nothing is there
 */
export async function tryRecord(
  add: () => Promise<void>,
  remove: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const removed = () => remove(AbortSignal.timeout(removalMs));
  try {
    await add();
  } catch (error) {
    const isRefused = error instanceof ProviderFault && !error.temporary;
    // Why it could not be added says more than why it could not be removed.
    if (!isRefused) await removed().catch(() => {});
    throw error;
  }
  await removed();
}
