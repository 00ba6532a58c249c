import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RecordingRelay } from './recording-relay.ts';

/** Why to skip stories with tshark, or false. Under CI they run, and fail without it. */
export const withoutTshark = ((): string | false => {
  if (spawnSync('tshark', ['--version']).error === undefined || process.env.CI === 'true') return false;
  return 'SKIPPED: tshark is missing (Debian: bash scripts/setup-debian.sh)';
})();

/** A PDU by the names of Wireshark's fields, such as `smpp.command_id`. A repeated field has all its values. */
export type DissectedPdu = Readonly<Record<string, readonly string[]>>;

interface Dissected {
  readonly pdus: readonly DissectedPdu[];
  /** What tshark calls malformed or suspicious, in its own words. */
  readonly complaints: readonly string[];
}

/** A tree of the dissection. Its leaves are texts. */
type Tree = string | readonly Tree[] | { readonly [name: string]: Tree };

/**
 * Has tshark read all that passed the relay.
 * @throws AssertionError unless it finds as many PDUs, of the same kinds, as the relay counts by their lengths alone
 */
export async function dissectTalk(relay: RecordingRelay, protocol: 'smpp' | 'cmpp'): Promise<Dissected> {
  const dissected = await dissect(relay.capture(), protocol, relay.port);
  assert.deepEqual(
    dissected.pdus.map((pdu) => commandOf(pdu, protocol)),
    relay.pdus().map((pdu) => pdu.commandId),
  );
  return dissected;
}

/** PDUs by their command_id. */
export function byCommand(pdus: readonly DissectedPdu[], protocol: 'smpp' | 'cmpp') {
  return (command: number) => pdus.filter((pdu) => commandOf(pdu, protocol) === command);
}

function commandOf(pdu: DissectedPdu, protocol: 'smpp' | 'cmpp'): number {
  return Number(pdu[protocol === 'smpp' ? 'smpp.command_id' : 'cmpp.Command_Id']?.[0]);
}

/**
 * Has tshark read a capture.
 * @param port of the listener, whose protocol tshark is told
 */
async function dissect(capture: Uint8Array, protocol: 'smpp' | 'cmpp', port: number): Promise<Dissected> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-tshark-'));
  try {
    const file = join(folder, 'talk.pcap');
    writeFileSync(file, capture);
    const { stdout } = await promisify(execFile)(
      'tshark',
      [
        ...['-n', '-r', file, '-d', `tcp.port==${port},${protocol}`, '-T', 'json', '--no-duplicate-keys'],
        // What data_coding 0 means is agreed upon with the carrier.
        ...['-o', 'smpp.decode_sms_over_smpp:GSM 7-bit'],
      ],
      // No settings of the person who runs it.
      { env: { PATH: process.env.PATH, HOME: folder }, maxBuffer: 256 * 1024 * 1024 },
    );
    const frames = JSON.parse(stdout) as readonly { readonly _source: { readonly layers: Record<string, Tree> } }[];
    const layers = frames.map(({ _source }) => _source.layers);
    return {
      pdus: layers.flatMap((layer) => listOf(layer[protocol]).map(fieldsOf)),
      complaints: layers.flatMap((layer) => complaintsOf(layer)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function listOf(tree: Tree | undefined): readonly Tree[] {
  if (tree === undefined) return [];
  return Array.isArray(tree) ? tree : [tree];
}

/** All leaves of a tree at any depth, by their names. */
function fieldsOf(tree: Tree): DissectedPdu {
  const fields: Record<string, string[]> = {};
  const visit = (node: Tree, name: string) => {
    if (typeof node === 'string') {
      fields[name] ??= [];
      fields[name].push(node);
    } else if (Array.isArray(node)) for (const each of node) visit(each, name);
    else for (const [key, value] of Object.entries(node)) visit(value, key);
  };
  visit(tree, '');
  return fields;
}

function complaintsOf(layers: Record<string, Tree>): readonly string[] {
  const fields = fieldsOf(layers);
  const malformed = Object.keys(layers).filter((name) => name.startsWith('_ws.') && name !== '_ws.lua.fake');
  return [...malformed, ...(fields['_ws.expert.message'] ?? [])];
}
