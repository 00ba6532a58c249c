import type { SmppAddress } from '@waxwing/smpp/smpp-address.ts';
import { typesOfNumber } from './phone-address.ts';

/** Types and plans that an operator has set; null: as each sender looks. */
export interface AddressSettings {
  readonly destination_ton: number | null;
  readonly destination_npi: number | null;
  readonly source_ton: number | null;
  readonly source_npi: number | null;
}

const isdnPlan = 1;
const longestShortCode = 8;

/** @param number E.164 with `+`, which carriers do not want */
export function destinationAddress(number: string, settings: AddressSettings): SmppAddress {
  const { destination_ton: ton, destination_npi: npi } = settings;
  return { ton: ton ?? typesOfNumber.international, npi: npi ?? isdnPlan, address: number.replace(/^\+/, '') };
}

/** A sender's type: what is set, or as it looks. @param sender undefined: the carrier's own for this account */
export function sourceAddress(sender: string | undefined, settings: AddressSettings): SmppAddress {
  const address = /^\+\d+$/.test(sender ?? '') ? (sender ?? '').slice(1) : (sender ?? '');
  const { source_ton: ton, source_npi: npi } = settings;
  if (ton !== null && npi !== null) return { ton, npi, address };
  return { ...kindOf(sender), address };
}

function kindOf(sender: string | undefined): Pick<SmppAddress, 'ton' | 'npi'> {
  if (sender === undefined) return { ton: typesOfNumber.unknown, npi: 0 };
  if (!/^\+?\d+$/.test(sender)) return { ton: typesOfNumber.alphanumeric, npi: 0 };
  if (!sender.startsWith('+') && sender.length <= longestShortCode)
    return { ton: typesOfNumber.networkSpecific, npi: 0 };
  return { ton: typesOfNumber.international, npi: isdnPlan };
}
