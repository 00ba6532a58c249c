import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { parseScript } from './parse-script.ts';
import { type Smsc, type SmscOptions, smscLimits, startSmsc } from './run-smsc.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import type { SmscScript } from './smsc-script.ts';

export const trialAccount = { id: 'trial', password: 'sesame' };

const clock = { now: () => Date.now(), monotonic: () => performance.now() };

export interface TrialSmsc extends Smsc {
  /** What it told the person who runs it. */
  readonly troubles: readonly string[];
}

/** A carrier on a free port, closed after the test. @param script as a person writes it */
export async function trialSmsc(
  t: TestContext,
  protocol: SmscProtocolName,
  script: object = {},
  options: Partial<SmscOptions> = {},
): Promise<TrialSmsc> {
  const troubles: string[] = [];
  const smsc = await startSmsc({
    protocol,
    listen: { host: '127.0.0.1', port: 0 },
    account: trialAccount,
    script: scriptOf(protocol, script),
    tls: undefined,
    seed: 'trial',
    clock,
    limits: smscLimits,
    onTrouble: (sentence) => troubles.push(sentence),
    ...options,
  });
  t.after(() => smsc.close(0));
  return Object.assign(smsc, { troubles });
}

export function scriptOf(protocol: SmscProtocolName, script: object): SmscScript {
  const parsed = parseScript(JSON.stringify(script), protocol);
  assert.deepEqual(parsed.faults, undefined);
  return parsed.script as SmscScript;
}
