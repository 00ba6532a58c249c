type Answer = (isGiven: boolean) => void;

/** Lets whoever calls the API ask for a proof, before there is a component that shows the question. */
export interface FreshProof {
  /** Whoever asks while the question stands gets the same answer. @returns whether it was given */
  ask(): Promise<boolean>;
  /** Nobody is there any more to answer: the question goes. */
  withdraw(): void;
  /** Hears of each question, and of undefined when it goes, until the returned function is called. */
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
