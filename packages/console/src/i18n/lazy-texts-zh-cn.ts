import { alertTexts } from './alert-texts-zh-cn.ts';
import { authorityTexts } from './authority-texts-zh-cn.ts';
import { carrierTexts } from './carrier-texts-zh-cn.ts';
import { codeTexts } from './code-texts-zh-cn.ts';
import { instanceTexts } from './instance-texts-zh-cn.ts';
import { issuingTexts } from './issuing-texts-zh-cn.ts';
import { messagingTexts } from './messaging-texts-zh-cn.ts';
import { plotTexts, pushTexts } from './push-texts-zh-cn.ts';
import { serverTexts } from './server-texts-zh-cn.ts';
import type { LaterTexts, TextsWithoutSingular } from './text-shapes.ts';

export const laterTexts: TextsWithoutSingular<LaterTexts> = {
  ...instanceTexts,
  ...codeTexts,
  ...alertTexts,
  ...authorityTexts,
  ...carrierTexts,
  issuing: issuingTexts,
  messaging: messagingTexts,
  plot: plotTexts,
  push: pushTexts,
};

export const laterFile = { ...laterTexts, ...serverTexts };
