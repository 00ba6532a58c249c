import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { ClientAddress, closed, listOf, nullable, sentenceParameters, stableCode, Time } from '../shared-schemas.ts';

const operation = operationsOf('instance');

const KeyId = Type.String({ description: 'Identifies a master key and reveals nothing of it.' });
const rate = (description: string) => Type.Number({ minimum: 0, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const InstanceNode = Type.Object(
  {
    id: Type.String(),
    version: Type.String(),
    alive: Type.Boolean({ description: 'Whether its last heartbeat is recent.' }),
    started_at: Time,
    seen_at: Time,
    key_ids: Type.Array(KeyId, { description: 'The master keys it holds, the one it seals with first.' }),
    push_shards: count('How many of the 64 shards of push settings it runs.'),
    carriers: Type.Array(Type.String(), { description: 'The carriers it runs.' }),
  },
  { $id: 'InstanceNode', ...closed },
);

export const Instance = Type.Object(
  {
    version: Type.String(),
    node_id: Type.String({ description: 'The server that answers.' }),
    modules: Type.Array(Type.String()),
    database: Type.Object(
      {
        kind: Type.Enum(['sqlite', 'postgres']),
        schema: Type.Integer({ minimum: 0 }),
        bytes: nullable(Type.Integer({ minimum: 0 }), { description: 'Null if the database does not report it.' }),
      },
      closed,
    ),
    nodes: Type.Array(InstanceNode),
    workers: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          state: Type.String(),
          faults: count('Since the start.'),
          last_fault: nullable(Type.String()),
        },
        closed,
      ),
      { description: 'The background work of this server.' },
    ),
    backlog: Type.Object(
      {
        waiting_pushes: count('Each of these is counted to 10,000 at most.'),
        waiting_parts: count('Segments that no carrier has accepted yet.'),
        open_messages: count('Messages without a final status.'),
      },
      closed,
    ),
    rates: Type.Object(
      {
        messages_per_minute: rate('Accepted messages, including those that the service itself rejected.'),
        retrievals_per_minute: rate('Answered retrievals, including status 304, without refused ones.'),
        push_attempts_per_minute: rate('All attempts.'),
        pushes_delivered_per_minute: rate('Attempts with the answer 200.'),
      },
      {
        ...closed,
        description:
          'The mean of the last five whole minutes, over all servers. Messages and retrievals: as live servers last reported, ' +
          'within seconds; stopped servers do not count. The metrics of each server have more.',
      },
    ),
  },
  { $id: 'Instance', ...closed },
);
export type Instance = Type.Static<typeof Instance>;

export const showInstance = operation({
  id: 'showInstance',
  method: 'GET',
  path: '/instance',
  summary: 'Show the state of the instance',
  action: 'instance.read',
  answer: { status: 200, schema: Instance },
});

const MasterKey = Type.Object(
  {
    id: KeyId,
    current: Type.Boolean({ description: 'Whether secrets are sealed by it.' }),
    created_at: Time,
    held_by: Type.Array(Type.String(), { description: 'The live servers that hold it.' }),
  },
  { $id: 'MasterKey', ...closed },
);

export const listMasterKeys = operation({
  id: 'listMasterKeys',
  method: 'GET',
  path: '/instance/master-keys',
  summary: 'Show the master keys in use',
  description:
    'More than one: a rotation is not complete. To rotate, run `waxwing master-key rotate` beside the key file.',
  action: 'instance.master-key.read',
  ...listOf(MasterKey),
});

export const inspectInstance = operation({
  id: 'inspectInstance',
  method: 'POST',
  path: '/instance/doctor',
  summary: 'Check the installation and suggest a fix for each problem',
  description:
    'The checks of `waxwing doctor` on this server. Reads the whole database (`showInstanceWork` shows its ' +
    'progress). A server runs it once for all who request it meanwhile.',
  action: 'instance.inspect',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        ok: Type.Boolean({ description: 'No check failed. There may be warnings.' }),
        checks: Type.Array(
          Type.Object(
            {
              name: Type.String({ description: 'The check. It may have several findings.' }),
              code: stableCode('Stable: the finding.'),
              state: Type.Enum(['ok', 'warn', 'fail']),
              message: Type.String(),
              remedy: nullable(Type.String(), { description: 'Null: no action needed.' }),
              parameters: sentenceParameters,
            },
            closed,
          ),
        ),
      },
      { $id: 'Diagnosis', ...closed },
    ),
  },
  problems: ['conflict'],
});

const WorkUnderWay = Type.Object(
  {
    started_at: Time,
    done: Type.Number({ minimum: 0 }),
    total: Type.Number({ minimum: 0, description: '0 until known.' }),
  },
  { $id: 'WorkUnderWay', ...closed, description: 'The progress of work.' },
);
export type WorkUnderWay = Type.Static<typeof WorkUnderWay>;

export const showInstanceWork = operation({
  id: 'showInstanceWork',
  method: 'GET',
  path: '/instance/work',
  summary: 'Show the progress of long work',
  description: 'The work of the server that answers, whoever requested it. Null: none.',
  action: 'instance.read',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        inspection: nullable(WorkUnderWay, { description: '`inspectInstance`, in checks.' }),
        audit_verification: nullable(WorkUnderWay, { description: '`verifyAudit`, in links.' }),
      },
      { $id: 'InstanceWork', ...closed },
    ),
  },
});

export const showInstanceClientAddress = operation({
  id: 'showInstanceClientAddress',
  method: 'GET',
  path: '/instance/client-address',
  summary: 'Show the address that this request comes from',
  description: 'As allow-lists of instance keys see it.',
  action: 'instance.read',
  answer: { status: 200, schema: ClientAddress },
});

export const instanceOperations = [
  showInstanceClientAddress,
  showInstance,
  listMasterKeys,
  inspectInstance,
  showInstanceWork,
] as const;
