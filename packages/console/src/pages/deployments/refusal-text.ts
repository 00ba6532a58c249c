import type { i18n as Languages } from 'i18next';

/** Why a request was refused, with its remedy; the code of a reason that this console does not know. */
export function refusalText({ t, exists }: Pick<Languages, 't' | 'exists'>, reason: string): string {
  // The server may send any text. The cast only satisfies the type of `t`: `exists` checks the key.
  const isKnown = /^\w+$/.test(reason) && exists(`deployments.reasons.${reason}`);
  return isKnown ? t(`deployments.reasons.${reason as 'invalid_token'}`) : reason;
}
