import { randomBytes } from 'node:crypto';
import { Problem } from '../../../runtime/problem.ts';
import { createWorkQueue, type WorkQueue } from '../../../runtime/work-queue.ts';
import type { DnsProvider, ProofRecord } from '../proofs/dns-provider.ts';
import { resultOf } from './provider-fault.ts';
import { findProviderZone, trialName } from './provider-zones.ts';
import { tryRecord } from './try-record.ts';

/** All TXT values of a name. */
export interface RecordSet {
  readonly name: string;
  readonly values: readonly string[];
  readonly ttl: number;
}

/** A provider that keeps the values of a name as one set, to be replaced as a whole. All of it throws ProviderFault. */
export interface RecordSetApi<Zone, Stored extends RecordSet> {
  findZone(candidate: string, signal: AbortSignal): Promise<Zone | undefined>;
  read(zone: Zone, name: string, signal: AbortSignal): Promise<Stored | undefined>;
  /** @param before the set that is replaced */
  write(zone: Zone, set: RecordSet, before: Stored | undefined, signal: AbortSignal): Promise<void>;
  /** One that is gone already is no error. */
  remove(zone: Zone, set: Stored, signal: AbortSignal): Promise<void>;
}

/** The changes of record sets that wait for each other, by the name of the set. */
export type SetChanges = WorkQueue<string>;

/** Two changes of one set that are read at the same time would each write a whole set without the other's value. */
export function createSetChanges(): SetChanges {
  return createWorkQueue({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyOfLine: 1,
    waiting: 64,
    refusal: () =>
      new Problem('service_unavailable', { detail: 'Too many changes of one name wait. Try again later.' }),
  });
}

export interface RecordSetNeeds {
  readonly changes: SetChanges;
  /** That a provider may repeat in its words. */
  readonly secrets: readonly string[];
}

export function recordSetProvider<Zone, Stored extends RecordSet>(
  api: RecordSetApi<Zone, Stored>,
  { changes, secrets }: RecordSetNeeds,
): DnsProvider {
  const change = async (
    name: string,
    signal: AbortSignal,
    act: (zone: Zone, set: Stored | undefined) => Promise<void>,
  ) => {
    const zone = await findProviderZone(name, (candidate) => api.findZone(candidate, signal));
    // By the name alone: the zone is the same by whichever key of the account it is changed.
    await changes.run(async () => act(zone, await api.read(zone, name, signal)), name);
  };
  const add = ({ name, value, ttl }: ProofRecord, signal: AbortSignal) =>
    change(name, signal, async (zone, set) => {
      if (set?.values.includes(value)) return;
      const values = [...(set?.values ?? []), value];
      await api.write(zone, { name, values, ttl: set?.ttl ?? ttl }, set, signal);
    });
  const take = ({ name, value }: Pick<ProofRecord, 'name' | 'value'>, signal: AbortSignal) =>
    change(name, signal, async (zone, set) => {
      if (!set?.values.includes(value)) return;
      const values = set.values.filter((each) => each !== value);
      if (values.length === 0) await api.remove(zone, set, signal);
      else await api.write(zone, { name, values, ttl: set.ttl }, set, signal);
    });
  return {
    present: (record, signal) => resultOf(secrets, () => add(record, signal)),
    cleanUp: (record, signal) => resultOf(secrets, () => take(record, signal)),
    test: (domain, signal) =>
      resultOf(secrets, async () => {
        const record = { name: trialName(domain), value: `waxwing-test-${randomBytes(16).toString('hex')}`, ttl: 60 };
        await tryRecord(
          () => add(record, signal),
          (own) => take(record, own),
        );
      }),
  };
}

/** A TXT value in quotes, as zone files and record sets have it. */
export function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The value of one or more quoted strings. */
export function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  const strings = text.matchAll(/"((?:[^"\\]|\\.)*)"/gs);
  return [...strings].map(([, inside = '']) => inside.replaceAll(/\\(.)/gs, '$1')).join('');
}
