import type { TestContext } from 'node:test';
import { systemClock } from '../../runtime/clock.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { wait } from '../../runtime/wait.ts';
import type { Carrier, Inbound, PartToSubmit } from '../carrier.ts';
import { type CarrierSettings, standardSettings, toColumns } from '../stored-carrier.ts';
import type { InboundReply } from './carrier-dialect.ts';
import { cmppDialect } from './cmpp-dialect.ts';
import { createLinkCarrier, type LinkCarrierNeeds, type LinkSnapshot } from './link-carrier.ts';
import { type LinkPlan, planLink } from './link-plan.ts';
import { smscSecret } from './scripted-smsc.testing.ts';
import { smppDialect } from './smpp-dialect.ts';

export function linkSettings(
  protocol: CarrierSettings['protocol'],
  settings: Partial<CarrierSettings> = {},
): CarrierSettings {
  const named = { id: 'c1', name: 'one', protocol, address: '127.0.0.1:1', account: 'acme', enabled: true };
  return { ...standardSettings(protocol), ...named, ...settings } as CarrierSettings;
}

export function planOf(settings: CarrierSettings, password: string): LinkPlan {
  const none = { sealed_password: null, sealed_tls_key: null, key_id: null, deleted_at: null };
  const row = { id: settings.id, ...toColumns(settings), ...none, created_at: 0, updated_at: 0 };
  const key = { id: '1', key: new Uint8Array(32), createdAt: 0 } as never;
  return { ...planLink(row, { current: key, keys: [key] }), password: new SecretText(password) };
}

export interface RunningLink {
  readonly carrier: Carrier;
  /** What was handed in. */
  readonly taken: Inbound[];
  readonly segments: InboundReply[];
  readonly snapshots: LinkSnapshot[];
  /** Waits until the carrier looks like this. */
  until(look: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A carrier that runs until the test ends, in real time. */
export function runLink(
  t: TestContext,
  settings: CarrierSettings,
  options: Partial<Pick<LinkCarrierNeeds<never>, 'take' | 'records'>> & { readonly password?: string } = {},
): RunningLink {
  const plan = planOf(settings, options.password ?? smscSecret);
  const { password } = plan;
  const taken: Inbound[] = [];
  const segments: InboundReply[] = [];
  const snapshots: LinkSnapshot[] = [];
  const needs: Omit<LinkCarrierNeeds<never>, 'dialect'> = {
    plan,
    take: async (inbound) => {
      await options.take?.(inbound);
      taken.push(inbound);
    },
    takeSegment: async (_, reply) => {
      segments.push(reply);
    },
    records: options.records ?? {
      read: async () => undefined,
      submitted: async () => [],
      write: async (_, snapshot) => {
        snapshots.push(snapshot);
      },
    },
    clock: systemClock,
    wait,
    random: () => 0.5,
    log: { warn() {} },
  };
  const carrier =
    settings.protocol === 'smpp'
      ? createLinkCarrier({ ...needs, dialect: smppDialect(settings, password) })
      : createLinkCarrier({ ...needs, dialect: cmppDialect(settings, password) });
  const stopping = new AbortController();
  const ended = carrier.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  t.after(stop);
  return {
    carrier,
    taken,
    segments,
    snapshots,
    async until(look) {
      while (!look()) await new Promise((resolve) => setTimeout(resolve, 2));
    },
    stop,
  };
}

export function samplePart(part: Partial<PartToSubmit> = {}): PartToSubmit {
  return {
    id: 'batch.0.0',
    destination: '+8613800138000',
    sender: undefined,
    encoding: 'gsm',
    text: 'Hello',
    concatenation: undefined,
    attempt: 1,
    validUntil: Date.UTC(2026, 2, 1, 12),
    ...part,
  };
}
