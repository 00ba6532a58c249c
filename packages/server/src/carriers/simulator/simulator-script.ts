/**
 * What the simulator does with a part. The last four digits of the number decide, so that customers can try every
 * outcome:
 *
 *     …0000  DELIVRD at once                     …0004  never answers: no submit answer, no receipt
 *     …0001  UNDELIV                             …0005  the receipt before the submit answer, DELIVRD
 *     …0002  REJECTED with a memo                …0006  two contradicting receipts, DELIVRD then UNDELIV
 *     …0003  DELIVRD after 30 s                  …0007  throttled at the first submit, DELIVRD at the second
 *
 * Any other number has an outcome of its own, always the same for the same seed: of a hundred about 94 are DELIVRD, 4
 * UNDELIV and 2 REJECTED, after 0.1 to 2 s.
 */
import { createHash } from 'node:crypto';
import type { PartToSubmit, Receipt } from '../carrier.ts';

/** `afterMs` counts from the submit. Events of the same moment happen in order. */
export type SimulatorEvent =
  | { readonly afterMs: number; readonly kind: 'answer'; readonly answer: 'accepted' | 'throttled' }
  | ({ readonly afterMs: number } & Pick<Receipt, 'kind' | 'state' | 'networkError'>);

const state = { delivered: 2, undeliverable: 5, rejected: 8 } as const;
const absentSubscriber = '027 absent subscriber';
const simulatedRefusal = '099 refused by the simulator';
/** Apart from the answer, so that customers see the state in between. */
const shortlyMs = 50;

/** @param seed the instance's; the same seed gives the same script for the same number */
export function simulatorScript(
  { destination, attempt }: Pick<PartToSubmit, 'destination' | 'attempt'>,
  seed: string,
): readonly SimulatorEvent[] {
  switch (destination.slice(-4)) {
    case '0000':
      return [answer(0, 'accepted'), delivery(0)];
    case '0001':
      return [answer(0, 'accepted'), failure(shortlyMs)];
    case '0002':
      return [answer(0, 'accepted'), refusal(shortlyMs)];
    case '0003':
      return [answer(0, 'accepted'), delivery(30_000)];
    case '0004':
      return [];
    case '0005':
      return [delivery(0), answer(shortlyMs, 'accepted')];
    case '0006':
      return [answer(0, 'accepted'), delivery(shortlyMs), failure(2 * shortlyMs)];
    case '0007':
      return attempt === 1 ? [answer(0, 'throttled')] : [answer(0, 'accepted'), delivery(shortlyMs)];
    default:
      return drawn(destination, seed);
  }
}

function drawn(destination: string, seed: string): readonly SimulatorEvent[] {
  const draws = createHash('sha256').update(`${seed}\n${destination}`).digest();
  const outcome = draws.readUInt32BE(0) % 100;
  const afterMs = 100 + (draws.readUInt32BE(4) % 1901);
  const receipt = outcome < 94 ? delivery : outcome < 98 ? failure : refusal;
  return [answer(draws.readUInt32BE(8) % 50, 'accepted'), receipt(afterMs)];
}

function answer(afterMs: number, kind: 'accepted' | 'throttled'): SimulatorEvent {
  return { afterMs, kind: 'answer', answer: kind };
}

function delivery(afterMs: number): SimulatorEvent {
  return { afterMs, kind: 'receipt', state: state.delivered, networkError: undefined };
}

function failure(afterMs: number): SimulatorEvent {
  return { afterMs, kind: 'receipt', state: state.undeliverable, networkError: absentSubscriber };
}

function refusal(afterMs: number): SimulatorEvent {
  return { afterMs, kind: 'receipt', state: state.rejected, networkError: simulatedRefusal };
}
