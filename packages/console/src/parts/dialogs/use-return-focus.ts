import { useEffect, useState } from 'react';

/** The elements that had the focus before the dialogs that closed in this turn, in the order of closing. */
const left: HTMLElement[] = [];

/**
 * Returns the focus when the calling dialog closes: to the element that had it before, or to the page's heading. antd
 * does so only for dialogs that are hidden first. Ours are removed, so that each opens anew.
 */
export function useReturnFocus(): void {
  // Read before the first render is in the page: a field of the dialog may take the focus then.
  const [own] = useState(() => document.activeElement);
  useEffect(() => {
    // This dialog may replace another, for example to show a new token. It takes over the return target of that one.
    const [inherited] = left.splice(0);
    const former = inherited ?? own;
    return () => {
      if (left.length === 0) queueMicrotask(giveBack);
      left.push(former instanceof HTMLElement ? former : document.body);
    };
  }, [own]);
}

function giveBack(): void {
  // A dialog may have closed above another one, which then held its return target.
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

/** Whether another element has taken the focus meanwhile. */
function hasFocus(element: Element | null): boolean {
  return element !== null && element !== document.body;
}
