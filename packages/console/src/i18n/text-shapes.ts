import type { laterTexts } from './lazy-texts-en.ts';
import type { texts } from './texts-en.ts';

type Shape<Node> = { readonly [Key in keyof Node]: Node[Key] extends string ? string : Shape<Node[Key]> };

export type FirstTexts = Shape<typeof texts>;
export type LaterTexts = Shape<typeof laterTexts>;
export type Texts = FirstTexts & LaterTexts;

/** The same without the forms for one thing: for languages that have none, as Chinese. */
export type TextsWithoutSingular<Node> = {
  readonly [Key in keyof Node as Key extends `${string}_one` ? never : Key]: Node[Key] extends string
    ? string
    : TextsWithoutSingular<Node[Key]>;
};
