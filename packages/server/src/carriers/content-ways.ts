import type { ContentWays } from '@waxwing/smpp/content-pieces.ts';
import type { CarrierSettings } from './stored-carrier.ts';

/** How a carrier wants texts. CMPP has ASCII and UCS-2, and joins segments by a header of 6 octets. */
export function contentWays({
  protocol,
  default_alphabet,
  long,
}: Pick<CarrierSettings, 'protocol' | 'default_alphabet' | 'long'>): ContentWays {
  if (protocol !== 'smpp') return { defaultAlphabet: 'ascii', long: 'udh8' };
  return { defaultAlphabet: default_alphabet ?? 'gsm7', long: long ?? 'udh8' };
}
