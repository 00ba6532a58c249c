import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, preferredLanguage, useLanguageFile } from '../../i18n/language.ts';

/** `system`: follows the setting of the machine. */
export type ColorScheme = 'light' | 'dark' | 'system';

interface Preferences {
  readonly language: Language;
  readonly colorScheme: ColorScheme;
  /** Also for `system`. */
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
const languageKey = 'waxwing.language';

/** Language and colour scheme, stored in the browser. */
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

/** The language of the page when it is opened. */
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

/** A browser may refuse storage; the console works without it. */
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
    // The choice then lasts until the page is closed.
  }
}
