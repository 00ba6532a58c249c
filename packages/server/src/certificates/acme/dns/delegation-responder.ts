import { isIP } from 'node:net';
import { parseName } from '@waxwing/dns/domain-name.ts';
import { classes, type ResourceRecord, recordTypes } from '@waxwing/dns/resource-record.ts';
import type { Zone } from '@waxwing/dns/zone-answer.ts';
import type { Database } from '../../../database/database.ts';
import { listenProblem } from '../../../http/listen-problem.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { findTextValues } from '../orders/proof-store.ts';
import { DnsResponder } from './dns-responder.ts';

interface ResponderNeeds {
  readonly database: Pick<Database, 'db'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** `WAXWING_DNS_ZONE` */
  readonly zone: string;
  readonly baseUrl: string;
  readonly onFault: (error: unknown) => void;
}

/**
 * Answers the zone of managed delegation from the database, so by any server.
 * @throws Problem that names WAXWING_DNS_LISTEN when the address cannot be listened on
 */
export async function listenForDnsQuestions(
  { database, clock, zone, baseUrl, onFault }: ResponderNeeds,
  address: { readonly host: string; readonly port: number },
): Promise<DnsResponder> {
  const responder = new DnsResponder({
    zone: delegationZone(zone, new URL(baseUrl).hostname),
    async find(name) {
      const values = await findTextValues(database.db, name);
      return values.length === 0 ? undefined : values;
    },
    now: clock.monotonic,
    onFault,
  });
  try {
    await responder.listen(address);
  } catch (error) {
    await responder.close();
    throw listenProblem('WAXWING_DNS_LISTEN', address, error);
  }
  return responder;
}

/** Short: a proof is removed soon, and the next one has another value. */
const seconds = 5;
/** Nobody keeps that there is no proof: one may be set a moment after somebody has asked, as our own look does. */
const negativeSeconds = 0;

/** @param host of this service; where it is a name, it is the name server of the zone */
export function delegationZone(zone: string, host: string): Zone {
  const name = parseName(zone);
  const isName = isIP(host) === 0 && !host.startsWith('[') && host.includes('.');
  const server = parseName(isName ? host : zone);
  const nameServer: ResourceRecord = {
    ...{ name, type: recordTypes.NS, class: classes.IN, ttl: 3_600 },
    data: { kind: 'name', name: server },
  };
  return {
    name,
    authority: {
      ...{ primary: server, contact: parseName(`hostmaster.${zone}`) },
      ...{ serial: 1, refresh: 3_600, retry: 600, expire: 86_400, negativeTtl: negativeSeconds },
    },
    records: isName ? [nameServer] : [],
    ttl: seconds,
  };
}
