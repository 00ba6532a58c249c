import { useEffect, useState } from 'react';

/** After this pause the text counts as complete. */
export const typingPauseMs = 300;

/** The text at the last pause in typing; at once empty when it is cleared. */
export function usePausedText(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), text === '' ? 0 : typingPauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return text === '' ? '' : paused;
}
