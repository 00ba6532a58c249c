/** A sentence that the server tells in English, and what stands in its gaps. Pure. */
export interface ReadSentence<Code extends string> {
  readonly code: Code;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * @param sentences by their codes; `{{name}}` is a gap
 * @returns finds the sentence that a message is. Undefined: none of them
 */
export function sentenceReader<Code extends string>(
  sentences: Readonly<Record<Code, string>>,
): (message: string) => ReadSentence<Code> | undefined {
  const patterns = (Object.entries(sentences) as [Code, string][]).map(([code, sentence]) => {
    const parts = sentence.split(/\{\{(\w+)\}\}/);
    const source = parts.map((part, index) => (index % 2 === 0 ? part.replace(/[().]/g, '\\$&') : `(?<${part}>.+)`));
    return { code, pattern: new RegExp(`^${source.join('')}$`, 's') };
  });
  return (message) => {
    for (const { code, pattern } of patterns) {
      const found = pattern.exec(message);
      if (found !== null) return { code, parameters: found.groups ?? {} };
    }
    return undefined;
  };
}
