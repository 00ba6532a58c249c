import type { Ground } from '../../audit/ground.ts';
import { newId } from '../../runtime/clock.ts';
import { absent } from '../../runtime/problem.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { PartToSubmit } from '../carrier.ts';
import type { TestCarrier } from '../carrier-routes.ts';
import { findCarrier } from '../carrier-store.ts';
import { cmppDialect } from './cmpp-dialect.ts';
import { planLink } from './link-plan.ts';
import { smppDialect } from './smpp-dialect.ts';
import { type LinkTest, testLink } from './test-link.ts';

interface Needs extends Pick<Ground, 'database' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
}

const validityMs = 3_600_000;
const standardText = 'Test by Waxwing';

/** Tries a carrier that is stored, also a disabled one. */
export function createTestCarrier({ database, audit, clock, ring }: Needs): TestCarrier {
  return async (by, id, { to, text }, signal) => {
    const row = (await findCarrier(database.db, id)) ?? absent('carrier', id);
    const at = clock.now();
    const plan = planLink(row, ring());
    const { settings, password } = plan;
    // Whether there was a message. The audit trail has no phone numbers.
    const detail = JSON.stringify({ messages: to === undefined ? 0 : 1 });
    await audit.append([{ organizationId: '', actor: by, action: 'carrier.test', subject: id, at, detail }]);
    const message = to === undefined ? undefined : messageTo(to, text ?? standardText, at);
    const tested =
      settings.protocol === 'smpp'
        ? await testLink({ plan, dialect: smppDialect(settings, password), clock }, message, signal)
        : await testLink({ plan, dialect: cmppDialect(settings, password), clock }, message, signal);
    return shown(tested);
  };
}

function messageTo(destination: string, text: string, at: number): PartToSubmit {
  return {
    id: newId(at),
    destination,
    sender: undefined,
    encoding: 'gsm',
    text,
    concatenation: undefined,
    attempt: 1,
    validUntil: at + validityMs,
  };
}

function shown({ steps, error, messageId }: LinkTest) {
  return { ok: error === undefined, steps: [...steps], error: error ?? null, message_id: messageId ?? null };
}
