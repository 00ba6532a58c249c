/** The links of the carriers that operators have set up, as they are at the moment. */
import type { Ground } from '../../audit/ground.ts';
import { type Database, unlessUnavailable } from '../../database/database.ts';
import type { CarrierRow } from '../../database/schema/carrier-tables.ts';
import { repeatingWorker, type Worker } from '../../runtime/supervisor.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Carrier } from '../carrier.ts';
import { listCarrierRows } from '../carrier-store.ts';
import type { KnownCarriers, ReadKnownCarriers } from '../known-carriers.ts';
import { cmppDialect } from './cmpp-dialect.ts';
import { createLinkCarrier, type LinkCarrierNeeds } from './link-carrier.ts';
import { type LinkPlan, planLink } from './link-plan.ts';
import { readDownSince } from './link-record-store.ts';
import { smppDialect } from './smpp-dialect.ts';

export interface LinkCarriers {
  /**
   * The carriers that are enabled. One whose link was changed is another object than before; else it is the same one.
   * @throws DatabaseUnavailable
   */
  current(): Promise<readonly Carrier[]>;
  /** Since when a carrier has no link, epoch milliseconds, on whichever server it runs. */
  downSince(carrierId: string): number | undefined;
  /** Learns about the links that other servers run. */
  readonly worker: Worker;
}

interface Needs extends Omit<LinkCarrierNeeds<never>, 'plan' | 'dialect'>, Pick<Ground, 'wait'> {
  readonly database: Pick<Database, 'db'>;
  readonly known: ReadKnownCarriers;
  readonly ring: () => KeyRing;
}

const lookEveryMs = 1_000;

interface Built {
  readonly carrier: Carrier;
  readonly fingerprint: string;
  readonly changedAt: number;
}

export function createLinkCarriers(needs: Needs): LinkCarriers {
  const { database, known, ring, wait, log } = needs;
  let seen: KnownCarriers | undefined;
  let built = new Map<string, Built>();
  let downSince: ReadonlyMap<string, number> = new Map();

  function build(row: CarrierRow): [string, Built] | undefined {
    let plan: LinkPlan;
    try {
      plan = planLink(row, ring());
    } catch (error) {
      log.warn({ carrier: row.id, err: error }, 'the link of a carrier cannot be set up');
      return undefined;
    }
    const former = built.get(row.id);
    // Whoever changes a carrier without a link has it try again at once.
    const isAsBefore = former?.changedAt === plan.changedAt || former?.carrier.downSince === undefined;
    if (former?.fingerprint === plan.fingerprint && isAsBefore) return [row.id, former];
    return [row.id, { carrier: carrierOf(plan, needs), fingerprint: plan.fingerprint, changedAt: plan.changedAt }];
  }

  async function look(): Promise<void> {
    const { carriers } = await known();
    downSince = carriers.length === 0 ? new Map() : await readDownSince(database);
  }

  return {
    async current() {
      const facts = await known();
      // The same object is read from memory until some carrier changes.
      if (facts !== seen) {
        const rows = (await listCarrierRows(database.db)).filter(({ enabled }) => enabled === 1);
        built = new Map(rows.flatMap((row) => [build(row)].filter((each) => each !== undefined)));
        seen = facts;
      }
      return [...built.values()].map(({ carrier }) => carrier);
    },
    downSince: (carrierId) => downSince.get(carrierId),
    worker: repeatingWorker('carrier-links', lookEveryMs, wait, () => unlessUnavailable(look()).then(() => {})),
  };
}

function carrierOf(plan: LinkPlan, needs: Omit<LinkCarrierNeeds<never>, 'plan' | 'dialect'>): Carrier {
  const { settings, password } = plan;
  return settings.protocol === 'smpp'
    ? createLinkCarrier({ ...needs, plan, dialect: smppDialect(settings, password) })
    : createLinkCarrier({ ...needs, plan, dialect: cmppDialect(settings, password) });
}
