import { lazyRouteComponent } from '@tanstack/react-router';
import { withLaterTexts } from '../i18n/language.ts';

/** A page that is loaded when somebody goes to it, together with the texts that the first pages do without. */
export function laterPage<File extends Readonly<Record<string, unknown>>, Name extends keyof File>(
  load: () => Promise<File>,
  name: Name,
) {
  return lazyRouteComponent(() => withLaterTexts(load()), name);
}
