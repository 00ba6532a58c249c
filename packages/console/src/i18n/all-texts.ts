/** Everything that the console says, for those who look at all of it at once: tests and stories. */
import { laterTexts as laterEnglish } from './lazy-texts-en.ts';
import { laterTexts as laterChinese } from './lazy-texts-zh-cn.ts';
import { texts as firstEnglish } from './texts-en.ts';
import { texts as firstChinese } from './texts-zh-cn.ts';

export const english = { ...firstEnglish, ...laterEnglish };
export const chinese = { ...firstChinese, ...laterChinese };
