/** Secret texts for a few seconds, in memory that is overwritten. Strings would wait for the collector. */
export interface ErasableTexts {
  /** Copies a text in. Undefined when there is no room. */
  keep(text: string): KeptText | undefined;
  /** Only between `keep` and the next `eraseAll`. */
  read(kept: KeptText): string;
  /** Copies the text to `target`, from `at` on. Only between `keep` and the next `eraseAll`. */
  copy(kept: KeptText, target: Uint8Array, at: number): void;
  /** Overwrites all texts, and frees memory that the latest ones did not need. */
  eraseAll(): void;
}

export interface KeptText {
  readonly chunk: number;
  readonly start: number;
  readonly bytes: number;
  readonly encoding: 'latin1' | 'utf8';
}

/** Larger than any text here. A text that does not fit leaves the rest of a chunk unused. */
const chunkBytes = 2 ** 20;

/** @param maxBytes at least one chunk of 1 MiB, then in steps of chunks */
export function createErasableTexts(maxBytes: number): ErasableTexts {
  const maxChunks = Math.max(1, Math.floor(maxBytes / chunkBytes));
  const chunks: Buffer[] = [];
  let current = 0;
  let end = 0;

  return {
    keep(text) {
      const bytes = Buffer.byteLength(text);
      if (bytes > chunkBytes) return undefined;
      if (end + bytes > chunkBytes) {
        if (current + 1 === maxChunks) return undefined;
        current += 1;
        end = 0;
      }
      chunks[current] ??= Buffer.alloc(chunkBytes);
      // ASCII, the usual case, needs no decoding.
      const encoding = bytes === text.length ? 'latin1' : 'utf8';
      chunks[current]?.write(text, end, encoding);
      const kept: KeptText = { chunk: current, start: end, bytes, encoding };
      end += bytes;
      return kept;
    },
    read({ chunk, start, bytes, encoding }) {
      return chunks[chunk]?.toString(encoding, start, start + bytes) ?? '';
    },
    copy({ chunk, start, bytes }, target, at) {
      chunks[chunk]?.copy(target, at, start, start + bytes);
    },
    eraseAll() {
      chunks.length = Math.min(chunks.length, current + 1);
      for (const chunk of chunks) chunk.fill(0);
      current = 0;
      end = 0;
    },
  };
}
