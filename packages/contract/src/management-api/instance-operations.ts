import Type from 'typebox';
import { operation } from './operation.ts';
import {
  ClientAddress,
  closed,
  nullable,
  pageOf,
  pageQuery,
  sentenceParameters,
  stableCode,
  Time,
} from './shared-schemas.ts';

const tag = 'instance';

const KeyId = Type.String({ description: 'Tells a master key apart; nothing of the key itself.' });
const rate = (description: string) => Type.Number({ minimum: 0, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const InstanceNode = Type.Object(
  {
    id: Type.String(),
    version: Type.String(),
    alive: Type.Boolean({ description: 'Whether it was heard of in the last seconds.' }),
    started_at: Time,
    seen_at: Time,
    key_ids: Type.Array(KeyId, { description: 'The master keys it holds, the one it seals with first.' }),
    push_shards: count('For how many of the 64 shards of push settings it pushes.'),
    carriers: Type.Array(Type.String(), { description: 'The carriers it runs.' }),
  },
  { $id: 'InstanceNode', ...closed },
);

export const Instance = Type.Object(
  {
    version: Type.String(),
    node_id: Type.String({ description: 'The node that answers.' }),
    modules: Type.Array(Type.String()),
    database: Type.Object(
      {
        kind: Type.Enum(['sqlite', 'postgres']),
        schema: Type.Integer({ minimum: 0 }),
        bytes: nullable(Type.Integer({ minimum: 0 }), { description: 'Null where the database does not tell.' }),
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
      { description: 'What this node does in the background.' },
    ),
    backlog: Type.Object(
      {
        waiting_pushes: count('Counted to 10,000 at most, as all of these.'),
        waiting_parts: count('Segments that no carrier has taken yet.'),
        open_messages: count('Messages without a final status.'),
      },
      closed,
    ),
    rates: Type.Object(
      {
        messages_per_minute: rate('Accepted messages, those that we rejected ourselves included.'),
        retrievals_per_minute: rate('Answered retrievals, those answered 304 included and refused ones not.'),
        push_attempts_per_minute: rate('Attempts, whatever they came to.'),
        pushes_delivered_per_minute: rate('Attempts that were answered 200.'),
      },
      {
        ...closed,
        description:
          'The mean of the last five whole minutes, over all nodes. Messages and retrievals: as living nodes last told, ' +
          'within seconds, so what a node did that has stopped since is missing. More is in the metrics of each node.',
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
  tag,
  summary: 'Show how the instance is',
  action: 'instance.read',
  answer: { status: 200, schema: Instance },
});

const MasterKey = Type.Object(
  {
    id: KeyId,
    current: Type.Boolean({ description: 'Whether secrets are sealed by it.' }),
    created_at: Time,
    held_by: Type.Array(Type.String(), { description: 'The living nodes that hold it.' }),
  },
  { $id: 'MasterKey', ...closed },
);

export const listMasterKeys = operation({
  id: 'listMasterKeys',
  method: 'GET',
  path: '/instance/master-keys',
  tag,
  summary: 'Show the master keys in use',
  description:
    'More than one: a rotation has not reached its end. They are rotated where the key file lies: `waxwing master-key rotate`.',
  action: 'instance.master-key.read',
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(MasterKey) },
  paged: true,
});

export const inspectInstance = operation({
  id: 'inspectInstance',
  method: 'POST',
  path: '/instance/doctor',
  tag,
  summary: 'Look at everything that can be wrong',
  description:
    'What the doctor of the command line finds at this node. Reads the whole database (`showInstanceWork` tells how far it has ' +
    'come): a node does it once for all who ask meanwhile.',
  action: 'instance.inspect',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        ok: Type.Boolean({ description: 'Nothing fails; there may be warnings.' }),
        checks: Type.Array(
          Type.Object(
            {
              name: Type.String({ description: 'What was looked at; it may have several findings.' }),
              code: stableCode('Stable: what was found.'),
              state: Type.Enum(['ok', 'warn', 'fail']),
              message: Type.String(),
              remedy: nullable(Type.String(), { description: 'Null where there is nothing to do.' }),
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
    total: Type.Number({ minimum: 0, description: '0 until it is known.' }),
  },
  { $id: 'WorkUnderWay', ...closed, description: 'How far work has come that is under way.' },
);
export type WorkUnderWay = Type.Static<typeof WorkUnderWay>;

export const showInstanceWork = operation({
  id: 'showInstanceWork',
  method: 'GET',
  path: '/instance/work',
  tag,
  summary: 'Show how far long work has come',
  description:
    'What the node that answers is doing, whoever asked for it. Null: nothing of the kind is under way there.',
  action: 'instance.read',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        inspection: nullable(WorkUnderWay, { description: '`inspectInstance`, in things looked at.' }),
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
  tag,
  summary: 'Show the address that this request comes from',
  description: 'As the allow-lists of keys of the instance see it.',
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
