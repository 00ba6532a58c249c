import type { Db } from '../../database/database.ts';
import { Problem } from '../../runtime/problem.ts';
import type { NumberPart } from './blocked-list-store.ts';
import { findMessagingSettings } from './messaging-settings.ts';
import { isRegion, readPhoneNumber } from './phone-number.ts';

/**
 * A number that an operator or customer gives, as lists hold it: E.164 with `+`.
 * @param organizationId whose default region national numbers are read with; empty: only international ones
 * @throws Problem `invalid_parameter`, naming `number`
 */
export async function checkNumber(db: Db, organizationId: string, number: string): Promise<string> {
  const [settings] = organizationId === '' ? [] : await findMessagingSettings(db, [organizationId]);
  const region = settings?.default_region ?? undefined;
  const reading = readPhoneNumber(number, region !== undefined && isRegion(region) ? region : undefined);
  if ('number' in reading) return reading.number;
  throw new Problem('invalid_parameter', { field: 'number', detail: `number ${reading.fault}.` });
}

/** The same of the number that a list is asked for, if it is. */
export async function checkPart(db: Db, organizationId: string, part: NumberPart): Promise<NumberPart> {
  return part.number === undefined ? part : { ...part, number: await checkNumber(db, organizationId, part.number) };
}
