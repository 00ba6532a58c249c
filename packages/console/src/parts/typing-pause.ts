import { useEffect, useState } from 'react';

/** Nobody types on after it: what stands there is what is meant. */
export const typingPauseMs = 300;

/** The text as it was when typing paused; nothing as soon as all of it is taken away. */
export function usePausedText(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), text === '' ? 0 : typingPauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return text === '' ? '' : paused;
}
