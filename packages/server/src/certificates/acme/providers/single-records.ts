import { randomBytes } from 'node:crypto';
import type { DnsProvider, ProofRecord } from '../proofs/dns-provider.ts';
import { resultOf } from './provider-fault.ts';
import { findProviderZone, trialName } from './provider-zones.ts';
import { tryRecord } from './try-record.ts';

export interface SingleRecord {
  readonly id: string;
  readonly value: string;
}

/** A provider where each TXT value is a record by itself. All of it throws ProviderFault. */
export interface SingleRecordApi<Zone> {
  findZone(candidate: string, signal: AbortSignal): Promise<Zone | undefined>;
  list(zone: Zone, name: string, signal: AbortSignal): Promise<readonly SingleRecord[]>;
  /** @returns the record's id; undefined where the very record is there already */
  add(
    zone: Zone,
    record: { readonly name: string; readonly value: string },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** One that is gone already is no error. */
  remove(zone: Zone, id: string, signal: AbortSignal): Promise<void>;
}

export function singleRecordProvider<Zone>(api: SingleRecordApi<Zone>, secrets: readonly string[]): DnsProvider {
  const zoneOf = (name: string, signal: AbortSignal) =>
    findProviderZone(name, (candidate) => api.findZone(candidate, signal));
  const take = async (zone: Zone, { name, value }: Pick<ProofRecord, 'name' | 'value'>, signal: AbortSignal) => {
    const existing = await api.list(zone, name, signal);
    const ours = existing.filter((record) => record.value === value);
    for (const { id } of ours) await api.remove(zone, id, signal);
  };
  return {
    present: ({ name, value }, signal) =>
      resultOf(secrets, async () => {
        const zone = await zoneOf(name, signal);
        const existing = await api.list(zone, name, signal);
        if (!existing.some((record) => record.value === value)) await api.add(zone, { name, value }, signal);
      }),
    cleanUp: (record, signal) => resultOf(secrets, async () => take(await zoneOf(record.name, signal), record, signal)),
    test: (domain, signal) =>
      resultOf(secrets, async () => {
        const name = trialName(domain);
        const zone = await zoneOf(name, signal);
        await api.list(zone, name, signal);
        const record = { name, value: `waxwing-test-${randomBytes(16).toString('hex')}` };
        let id: string | undefined;
        const add = async () => {
          id = await api.add(zone, record, signal);
        };
        // By its id where that is known: lists of some providers do not show for half a minute what was added.
        await tryRecord(add, (own) => (id === undefined ? take(zone, record, own) : api.remove(zone, id, own)));
      }),
  };
}
