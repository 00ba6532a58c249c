import { codeTexts } from './code-texts-en.ts';
import { instanceTexts } from './instance-texts-en.ts';
import { messagingTexts } from './messaging-texts-en.ts';
import { plotTexts, pushTexts } from './push-texts-en.ts';

/** What only pages beyond the first ones say: loaded with them. */
export const laterTexts = {
  ...instanceTexts,
  ...codeTexts,
  messaging: messagingTexts,
  plot: plotTexts,
  push: pushTexts,
} as const;
