/**
 * Codes of the server, such as `private-key.hand-out`, as keys of texts, which dots would split. By these types both
 * languages must name all codes.
 */
export type CodeKey<Code extends string> = Code extends `${infer Before}.${infer After}`
  ? CodeKey<`${Before}_${After}`>
  : Code extends `${infer Before}-${infer After}`
    ? CodeKey<`${Before}_${After}`>
    : Code;

export function codeKey<const Code extends string>(code: Code): CodeKey<Code> {
  return code.replace(/[.-]/g, '_') as CodeKey<Code>;
}
