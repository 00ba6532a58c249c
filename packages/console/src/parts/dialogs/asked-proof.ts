type Answer = (isGiven: boolean) => void;

/** Lets callers of the API ask for a confirmation, before a component is there to show the question. */
export interface FreshProof {
  /** All who ask while the question is open get the same answer. @returns whether the person confirmed */
  ask(): Promise<boolean>;
  /** Closes the question: the person has been signed out. */
  withdraw(): void;
  /** The listener gets each question, and undefined when it closes, until the returned function is called. */
  onAsked(listener: (answer: Answer | undefined) => void): () => void;
}

export function createFreshProof(): FreshProof {
  let listen: ((answer: Answer | undefined) => void) | undefined;
  let asked: { readonly promise: Promise<boolean>; readonly answer: Answer } | undefined;
  function end(isGiven: boolean): void {
    const ended = asked;
    asked = undefined;
    listen?.(undefined);
    ended?.answer(isGiven);
  }
  return {
    ask() {
      if (listen === undefined) return Promise.resolve(false);
      if (asked === undefined) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        asked = { promise, answer: resolve };
        listen(end);
      }
      return asked.promise;
    },
    withdraw() {
      if (asked !== undefined) end(false);
    },
    onAsked(listener) {
      listen = listener;
      return () => {
        listen = undefined;
      };
    },
  };
}
