/** A part of the program that is loaded when it is first used, and must be closed. */
export interface LoadedOnce<Part> {
  /** Loads the part with the first call, and again with the next call after a load that failed. */
  get(): Promise<Part>;
  /** Closes the part if it was loaded. Never rejects because of a load that failed. */
  close(): Promise<void>;
}

export function loadedOnce<Part extends { close(): void }>(load: () => Promise<Part>): LoadedOnce<Part> {
  let loading: Promise<Part> | undefined;
  return {
    get() {
      loading ??= load().catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    async close() {
      const part = await loading?.catch(() => undefined);
      part?.close();
    },
  };
}
