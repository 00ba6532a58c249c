import type { SignInStep } from '../../api/shown-things.ts';

/**
 * The identity provider sends people back to the sign-in page. The fragment of that address says that a second factor is
 * needed, or why the sign-in failed. Anybody can make up such an address, so unknown factors are dropped here, and
 * `problemTexts` shows no unknown reason.
 */
type SignInFragment =
  | { readonly kind: 'step'; readonly step: SignInStep }
  | { readonly kind: 'refused'; readonly reason: string | undefined };

const factors: readonly string[] = ['totp', 'passkey', 'recovery_code'] satisfies SignInStep['factors'];

/** @param hash of the address, with its `#` */
export function readSignInFragment(hash: string): SignInFragment | undefined {
  const fragment = new URLSearchParams(hash.slice(1));
  const known = (fragment.get('factors') ?? '')
    .split(',')
    .filter((name): name is SignInStep['factors'][number] => factors.includes(name));
  if (known.length > 0) return { kind: 'step', step: { state: 'second_factor', factors: known } };
  return fragment.has('error') ? { kind: 'refused', reason: fragment.get('reason') ?? undefined } : undefined;
}
