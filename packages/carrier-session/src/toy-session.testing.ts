import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { Session } from './session.ts';
import { defaultLimits, type SessionEvents, type SessionLimits } from './session-options.ts';
import type { SessionProtocol } from './session-protocol.ts';
import { type ToyPdu, toyPdu, toyProtocol } from './toy-protocol.testing.ts';

export interface ToySettings {
  readonly limits?: Partial<SessionLimits>;
  readonly events?: Partial<SessionEvents<ToyPdu>>;
  readonly protocol?: Partial<SessionProtocol<ToyPdu>>;
  readonly clock?: { now(): number };
}

/** A session of the toy protocol that echoes requests. It is destroyed after the test. */
export function toySession(t: TestContext, stream: Duplex, settings: ToySettings = {}): Session<ToyPdu> {
  const session = new Session(stream, {
    protocol: { ...toyProtocol, ...settings.protocol },
    clock: settings.clock ?? { now: () => performance.now() },
    limits: { ...defaultLimits, ...settings.limits },
    events: { onRequest: echo, ...settings.events },
  });
  t.after(() => session.destroy());
  return session;
}

export async function echo({ kind, sequence, text }: ToyPdu): Promise<ToyPdu> {
  return toyPdu(kind === 'bind' ? 'bindResponse' : 'requestResponse', sequence, text);
}

/** For `submit`. */
export function ask(text: string): (sequence: number) => ToyPdu {
  return (sequence) => toyPdu('request', sequence, text);
}
