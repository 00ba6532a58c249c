import i18next from 'i18next';
import { useEffect, useState } from 'react';
import { initReactI18next } from 'react-i18next';
import type { FirstTexts, LaterTexts, Texts, TextsWithoutSingular } from './text-shapes.ts';

export const languages = ['zh-CN', 'en'] as const;
export type Language = (typeof languages)[number];

/** Each in its own words, so that people find theirs. */
export const languageNames: Readonly<Record<Language, string>> = { 'zh-CN': '简体中文', en: 'English' };

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Texts };
    strictKeyChecks: true;
  }
}

/** The language chosen before, else the first one of the browser's that we have, else English. */
export function preferredLanguage(kept: string | null, wanted: readonly string[]): Language {
  const known = languages.find((each) => each === kept);
  if (known !== undefined) return known;
  for (const each of wanted) {
    if (each.startsWith('zh')) return 'zh-CN';
    if (each.startsWith('en')) return 'en';
  }
  return 'en';
}

type Files<Part> = Readonly<Record<Language, () => Promise<Part | TextsWithoutSingular<Part>>>>;

/** Each language is a file of its own, and only the needed one is loaded. */
const firstFiles: Files<FirstTexts> = {
  'zh-CN': async () => (await import('./texts-zh-cn.ts')).firstFile,
  en: async () => (await import('./texts-en.ts')).texts,
};

/** The texts of later pages, and the translated messages of the server on them. */
const laterFiles: Files<LaterTexts> = {
  'zh-CN': async () => (await import('./lazy-texts-zh-cn.ts')).laterFile,
  en: async () => (await import('./lazy-texts-en.ts')).laterTexts,
};

let begun: Promise<unknown> | undefined;
let shown: Language | undefined;
/** The latest choice: a file that arrives late must not replace it. */
let wanted: Language | undefined;
let isLaterWanted = false;

async function load(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    i18next.addResourceBundle(language, 'translation', await firstFiles[language]());
  }
  if (isLaterWanted && !i18next.exists('push', { lng: language })) {
    i18next.addResourceBundle(language, 'translation', await laterFiles[language](), true);
  }
}

/** Loads a language and switches to it. Callable before anything is drawn. */
export async function showIn(language: Language): Promise<void> {
  wanted = language;
  begun ??= i18next.use(initReactI18next).init({
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    // A test finds missing keys; whoever meets one all the same should see that.
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key) => console.error(`missing translation: ${key}`),
  });
  await begun;
  await load(language);
  if (wanted !== language) return;
  await i18next.changeLanguage(language);
  shown = language;
  document.documentElement.lang = language;
}

/** Loads a page together with the texts that the first pages do not need. */
export async function withLaterTexts<Page>(page: Promise<Page>): Promise<Page> {
  isLaterWanted = true;
  if (shown !== undefined) await load(shown);
  return page;
}

/** @returns whether something can be shown; while another language loads, the former one stays */
export function useLanguageFile(language: Language): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    void showIn(language).then(() => setReady(true));
  }, [language]);
  return isReady;
}
