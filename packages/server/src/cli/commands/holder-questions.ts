import { admitsEverybody } from '@waxwing/contract/admits-everybody.ts';
import { isNoWider } from '../../http/request/ip-allow-list.ts';
import { someOf } from '../../instance/doctor/doctor-check.ts';
import type { Question } from '../command.ts';
import type { HolderChanges, Rotation } from './token-holder-options.ts';

/** What deployments, messaging keys and management keys show of themselves. */
interface Holder {
  readonly name: string;
  readonly enabled: boolean;
  readonly permitted?: boolean;
  readonly query_token?: boolean;
  readonly allow: readonly string[];
}

/** Asked when its changes refuse somebody from the next request on, or admit everybody. */
export function changeQuestion(holder: Holder, changes: HolderChanges, now: number): Question | undefined {
  const stops = stopsOf(holder, changes, now);
  const admitted = changes.allow === undefined ? undefined : admittanceQuestion(holder.name, changes.allow);
  if (admitted !== undefined) return { ...admitted, consequence: [...stops, admitted.consequence].join('\n') };
  return stops.length === 0 ? undefined : { consequence: stops.join('\n') };
}

function stopsOf(holder: Holder, changes: HolderChanges, now: number): string[] {
  const { name } = holder;
  const { allow = holder.allow } = changes;
  const dropped = holder.allow.filter((entry) => !isNoWider([entry], allow));
  const ended = typeof changes.expires_at === 'string' && Date.parse(changes.expires_at) <= now;
  const isOff = (before: boolean | undefined, after: boolean | undefined) => before === true && after === false;
  const refused = isOff(holder.enabled, changes.enabled) || isOff(holder.permitted, changes.permitted) || ended;
  return [
    ...(refused ? [`Every request of ${name} will be refused from the next one on.`] : []),
    ...(isOff(holder.query_token, changes.query_token)
      ? [`Requests of ${name} with the token in the URL will be refused from the next one on.`]
      : []),
    ...(dropped.length === 0
      ? []
      : [
          `What only these entries of the allow-list admitted will be refused from the next request on: ${someOf(dropped)}.`,
        ]),
  ];
}

/** Asked of a new holder as well: a slip of the pen in its allow-list lets the whole internet in. */
export function admittanceQuestion(name: string, allow: readonly string[]): Question | undefined {
  if (!admitsEverybody(allow)) return undefined;
  return { consequence: `This allow-list lets every address of the internet use the token of ${name}.`, name };
}

/** A former token with an overlap has its time; without one it ends at once, for good. */
export function rotationQuestion(name: string, { overlap_seconds }: Rotation): Question | undefined {
  if (overlap_seconds > 0) return undefined;
  return {
    consequence: `The tokens that ${name} uses now will be refused from the next request on, for good.`,
    name,
  };
}

export function deletionQuestion(name: string): Question {
  return { consequence: `The tokens of ${name} will be refused from the next request on, for good.`, name };
}
