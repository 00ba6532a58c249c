/** A message that looks for its carrier. */
export interface MessageToCarry {
  readonly organizationId: string;
  /** E.164 with `+`. */
  readonly destination: string;
  readonly sender: string | undefined;
  /** Ids of carriers that refused it as temporary. */
  readonly refusedBy: readonly string[];
}

/** A carrier as the choice sees it. An empty list is no condition. */
export interface CandidateCarrier {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** 1 to 100; the lowest number comes first. */
  readonly priority: number;
  /** 1 to 100: its share among carriers of the same priority. */
  readonly weight: number;
  /** Beginnings of destinations: E.164 with `+`. */
  readonly forPrefix: readonly string[];
  readonly forOrganization: readonly string[];
  readonly forSender: readonly string[];
  /** Since when it has no link, epoch milliseconds; undefined: it has one, or nothing is known. */
  readonly downSince: number | undefined;
  /** It refuses everything as temporary, and is left in peace for a while. */
  readonly isResting?: boolean;
}

export interface ChosenCarrier {
  readonly carrier: CandidateCarrier;
  /** A short sentence for people. */
  readonly reason: string;
  /** Whether it takes messages now. Else the message waits for it. */
  readonly isAble: boolean;
}

/** A carrier whose link is down for longer is passed over. */
const patienceMs = 5_000;

/**
 * Finds the carrier of a message: of those that are enabled and whose conditions all hold, the one with the lowest
 * priority number, inside a priority by weight. Carriers that are down for longer than 5 s, or that refused the message,
 * are passed over. When all are, the message waits for the first by priority.
 *
 * @param now epoch milliseconds
 * @param random from 0 to 1, without 1
 * @returns undefined when no enabled carrier's conditions hold
 */
export function chooseCarrier(
  message: MessageToCarry,
  carriers: readonly CandidateCarrier[],
  now: number,
  random: number,
): ChosenCarrier | undefined {
  const matching = carriers.filter((carrier) => matches(carrier, message)).toSorted(byPriority);
  const isOut = (carrier: CandidateCarrier) =>
    isDown(carrier, now) || carrier.isResting === true || message.refusedBy.includes(carrier.id);
  const able = firstLevel(matching.filter((carrier) => !isOut(carrier)));
  const carrier = byWeight(able, random);
  if (carrier === undefined) return choiceToWait(matching, message, random);
  const passedOver = matching.find((other) => other.priority <= carrier.priority && isOut(other));
  const reason =
    passedOver === undefined ? reasonOf(carrier, able.length, matching.length) : reasonAfter(passedOver, message);
  return { carrier, reason, isAble: true };
}

function matches(carrier: CandidateCarrier, { organizationId, destination, sender }: MessageToCarry): boolean {
  const { enabled, forPrefix, forOrganization, forSender } = carrier;
  const isNamed = (name: string) => sender !== undefined && bareSender(name) === bareSender(sender);
  return (
    enabled &&
    (forPrefix.length === 0 || forPrefix.some((prefix) => destination.startsWith(prefix))) &&
    (forOrganization.length === 0 || forOrganization.includes(organizationId)) &&
    (forSender.length === 0 || forSender.some(isNamed))
  );
}

/** Senders are written with and without `+`, and names in any letter case. */
function bareSender(sender: string): string {
  return sender.replace(/^\+/, '').toLowerCase();
}

/** @param now epoch milliseconds */
export function isDown({ downSince }: Pick<CandidateCarrier, 'downSince'>, now: number): boolean {
  return downSince !== undefined && now - downSince > patienceMs;
}

function byPriority(a: CandidateCarrier, b: CandidateCarrier): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : 1);
}

/** @param sorted by priority */
function firstLevel(sorted: readonly CandidateCarrier[]): readonly CandidateCarrier[] {
  return sorted.filter(({ priority }) => priority === sorted[0]?.priority);
}

function byWeight(carriers: readonly CandidateCarrier[], random: number): CandidateCarrier | undefined {
  let left = random * carriers.reduce((sum, { weight }) => sum + weight, 0);
  const found = carriers.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  // A number just below 1 may be rounded up by the multiplication.
  return found ?? carriers.at(-1);
}

/** All are passed over. One that is only down may come back, so it goes before one that refused the message. */
function choiceToWait(
  matching: readonly CandidateCarrier[],
  { refusedBy }: MessageToCarry,
  random: number,
): ChosenCarrier | undefined {
  const down = matching.filter(({ id }) => !refusedBy.includes(id));
  const carrier = byWeight(firstLevel(down.length > 0 ? down : matching), random);
  if (carrier === undefined) return undefined;
  const isAble = false;
  if (matching.length > 1) return { carrier, isAble, reason: 'first by priority, as no matching carrier takes it now' };
  return { carrier, isAble, reason: `${only}, which ${down.length > 0 ? 'is down' : 'refused it for now'}` };
}

const only = 'the only matching carrier';

function reasonOf({ priority }: CandidateCarrier, inLevel: number, matching: number): string {
  if (matching === 1) return only;
  if (inLevel === 1) return `priority ${priority}, the first of ${matching} matching carriers`;
  return `priority ${priority}, by weight among ${inLevel} of ${matching} matching carriers`;
}

function reasonAfter({ id, name, downSince, isResting }: CandidateCarrier, { refusedBy }: MessageToCarry): string {
  if (refusedBy.includes(id)) return `next after ${name}, which refused it for now`;
  if (isResting && downSince === undefined) return `next after ${name}, which refuses everything for now`;
  const since = new Date(downSince ?? 0).toISOString();
  return `next after ${name}, which has been down since ${since}`;
}
