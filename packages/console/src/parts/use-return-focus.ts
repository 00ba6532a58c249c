import { useEffect, useState } from 'react';

/** What had the focus before the dialogs that have closed in this turn, the last closed last. */
const left: HTMLElement[] = [];

/**
 * Gives the focus back when the dialog that calls this goes: to what had it before, or to the page's heading when that is
 * gone. antd does so only for a dialog that is hidden first, and ours are taken away, so that each opens anew.
 */
export function useReturnFocus(): void {
  // Before the first render is in the page: a field in the dialog may take the focus as soon as it is.
  const [own] = useState(() => document.activeElement);
  useEffect(() => {
    // A dialog in place of another, for example with what was made: where that one would have gone back to, this one does.
    const [inherited] = left.splice(0);
    const former = inherited ?? own;
    return () => {
      if (left.length === 0) queueMicrotask(giveBack);
      left.push(former instanceof HTMLElement ? former : document.body);
    };
  }, [own]);
}

function giveBack(): void {
  // One that has closed above another: what it would go back to may have been in that other.
  const candidates = left.splice(0);
  if (candidates.length === 0 || hasFocus(document.activeElement)) return;
  for (const candidate of candidates) {
    if (candidate === document.body) continue;
    candidate.focus({ preventScroll: true });
    if (document.activeElement === candidate) return;
  }
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Something has been given it meanwhile, on purpose. */
function hasFocus(element: Element | null): boolean {
  return element !== null && element !== document.body;
}
