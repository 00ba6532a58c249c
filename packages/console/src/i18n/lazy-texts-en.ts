import { alertTexts } from './alert-texts-en.ts';
import { authorityTexts } from './authority-texts-en.ts';
import { carrierTexts } from './carrier-texts-en.ts';
import { codeTexts } from './code-texts-en.ts';
import { instanceTexts } from './instance-texts-en.ts';
import { issuingTexts } from './issuing-texts-en.ts';
import { messagingTexts } from './messaging-texts-en.ts';
import { plotTexts, pushTexts } from './push-texts-en.ts';

/** The texts of pages beyond the first ones, loaded with them. */
export const laterTexts = {
  ...instanceTexts,
  ...codeTexts,
  ...alertTexts,
  ...authorityTexts,
  ...carrierTexts,
  issuing: issuingTexts,
  messaging: messagingTexts,
  plot: plotTexts,
  push: pushTexts,
} as const;
