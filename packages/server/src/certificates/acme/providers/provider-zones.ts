import { ProviderFault } from './provider-fault.ts';

/** The zones that may hold a name, the longest first. */
export function zoneCandidates(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** The zone of a name at a provider: the longest that it has. @throws ProviderFault */
export async function findProviderZone<Zone>(
  name: string,
  find: (candidate: string) => Promise<Zone | undefined>,
): Promise<Zone> {
  for (const candidate of zoneCandidates(name)) {
    const zone = await find(candidate);
    if (zone !== undefined) return zone;
  }
  throw new ProviderFault(`The account has no zone that holds ${name}.`);
}

/** A name within its zone as providers write it; `@` is the zone itself. */
export function relativeName(name: string, zone: string): string {
  return name === zone ? '@' : name.slice(0, -zone.length - 1);
}

/** The name whose record is tried by `test`: credentials may be limited to names of this form. */
export function trialName(domain: string): string {
  return `_acme-challenge.${domain.replace(/^\*\./, '')}`;
}
