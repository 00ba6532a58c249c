import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, preferredLanguage, useLanguageFile } from '../i18n/language.ts';

/** `system`: as the machine says, and changing with it. */
export type ColorScheme = 'light' | 'dark' | 'system';

export interface Preferences {
  readonly language: Language;
  readonly colorScheme: ColorScheme;
  /** What `system` is at the moment, too. */
  readonly isDark: boolean;
  /** Whether the machine asks for as little movement as possible. */
  readonly isStill: boolean;
  setLanguage(language: Language): void;
  setColorScheme(scheme: ColorScheme): void;
}

const PreferencesContext = createContext<Preferences | undefined>(undefined);

export function usePreferences(): Preferences {
  const preferences = useContext(PreferencesContext);
  if (preferences === undefined) throw new Error('usePreferences outside of PreferencesProvider');
  return preferences;
}

const schemeKey = 'waxwing.color-scheme';
export const languageKey = 'waxwing.language';

/** How this browser wants the console to look; kept in the browser. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [language, chooseLanguage] = useState<Language>(firstLanguage);
  const [colorScheme, chooseScheme] = useState<ColorScheme>(() => schemeOf(readKept(schemeKey)));
  const systemIsDark = useMediaQuery('(prefers-color-scheme: dark)');
  const isDark = colorScheme === 'system' ? systemIsDark : colorScheme === 'dark';
  const isStill = useMediaQuery('(prefers-reduced-motion: reduce)');
  const isReady = useLanguageFile(language);

  useEffect(() => {
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  }, [isDark]);

  const setLanguage = useCallback((next: Language) => {
    keep(languageKey, next);
    chooseLanguage(next);
  }, []);
  const setColorScheme = useCallback((next: ColorScheme) => {
    keep(schemeKey, next);
    chooseScheme(next);
  }, []);
  const preferences = useMemo(
    () => ({ language, colorScheme, isDark, isStill, setLanguage, setColorScheme }),
    [language, colorScheme, isDark, isStill, setLanguage, setColorScheme],
  );
  return isReady ? <PreferencesContext value={preferences}>{children}</PreferencesContext> : null;
}

/** What this browser is spoken to in when the page is opened. */
export function firstLanguage(): Language {
  return preferredLanguage(readKept(languageKey), navigator.languages);
}

function schemeOf(text: string | null): ColorScheme {
  return text === 'light' || text === 'dark' ? text : 'system';
}

function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setMatches(list.matches);
    list.addEventListener('change', follow);
    return () => list.removeEventListener('change', follow);
  }, [query]);
  return matches;
}

/** A browser may refuse to keep anything; the console works all the same. */
function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Then it holds until the page is closed.
  }
}
