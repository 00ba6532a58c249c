import Type from 'typebox';
import { operation } from './operation.ts';
import {
  closed,
  Id,
  inOrganization,
  nullable,
  pageOf,
  pageQuery,
  partialPage,
  sentenceParameters,
  stableCode,
  Time,
} from './shared-schemas.ts';

const tag = 'audit';

export const AuditName = Type.Object(
  {
    kind: Type.Enum(['account', 'certificate', 'deployment', 'management-key', 'messaging-key', 'organization']),
    name: Type.String(),
  },
  { $id: 'AuditName', ...closed, description: 'What people know something by now: its name, or their email address.' },
);
export type AuditName = Type.Static<typeof AuditName>;

export const AuditEntry = Type.Object(
  {
    link: Type.Integer({ minimum: 1, description: 'Which link of the chain it belongs to.' }),
    at: Time,
    organization_id: nullable(Id, { description: 'Whom it concerns. Null: the instance.' }),
    actor: Type.String({ description: '`account:`, `key:`, `cli:` or `deployment:` and who.' }),
    actor_name: nullable(Type.String(), {
      description:
        'What the actor is called now: an email address, or the name of the key. Null: not there (any more).',
    }),
    action: Type.String(),
    subject: Type.String({ description: 'What it was done to.' }),
    subject_name: nullable(AuditName, {
      description: 'What that is called now. Null: it has no name, or is not there (any more).',
    }),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'AuditEntry', ...closed, description: 'Who did what. No phone numbers, no secrets.' },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

const words = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
const filters = {
  actor: words('Only what this actor did, as it is shown, or by the email address of a person.'),
  action: words('Only this action, or all of a kind: `deployment.` with its dot.'),
  subject: words('Only what was done to this.'),
  since: Type.Optional(Time),
  until: Type.Optional(Time),
};
const description = `Newest first. ${partialPage}`;
const answer = { status: 200, schema: pageOf(AuditEntry) } as const;

export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/organizations/{organization_id}/audit',
  tag,
  summary: 'List who did what in an organization',
  description,
  action: 'audit.read',
  params: inOrganization,
  query: pageQuery(filters),
  answer,
  paged: true,
});

export const listInstanceAudit = operation({
  id: 'listInstanceAudit',
  method: 'GET',
  path: '/instance/audit',
  tag,
  summary: 'List who did what',
  description,
  action: 'instance.audit.read',
  query: pageQuery({ organization_id: Type.Optional(Id), ...filters }),
  answer,
  paged: true,
});

const Head = Type.Object(
  {
    link: Type.Integer({ minimum: 0 }),
    mac: Type.String({ pattern: '^[0-9a-fA-F]{0,64}$', description: 'Hexadecimal.' }),
  },
  { $id: 'AuditHead', ...closed, description: 'Up to where the chain goes. Keep it in another place.' },
);

export const verifyAudit = operation({
  id: 'verifyAudit',
  method: 'POST',
  path: '/instance/audit/verify',
  tag,
  summary: 'Recompute the audit chain',
  description:
    'Finds any entry changed, removed, inserted or cut off. Goes through the whole trail, so it takes its time (`showInstanceWork` ' +
    'tells how far it has come); a node does it once at a time. Who asks for the same meanwhile gets the same answer: ask again ' +
    'when a connection has not lived as long.',
  action: 'instance.audit.verify',
  body: Type.Object(
    { head: Type.Optional(Head) },
    {
      $id: 'AuditVerification',
      ...closed,
      description: 'A head noted earlier, which the chain must still pass through.',
    },
  ),
  answer: {
    status: 200,
    schema: Type.Object(
      {
        ok: Type.Boolean(),
        faults: Type.Array(
          Type.Object(
            {
              link: Type.Integer(),
              code: stableCode('Stable: what is wrong there.'),
              reason: Type.String(),
              parameters: sentenceParameters,
            },
            closed,
          ),
        ),
        head: Head,
        links: Type.Integer({ minimum: 0 }),
        entries: Type.Integer({ minimum: 0 }),
        pruned_days: Type.Integer({ minimum: 0, description: 'Days whose entries retention has removed.' }),
      },
      { $id: 'AuditVerdict', ...closed },
    ),
  },
  problems: ['conflict'],
});

export const auditOperations = [listAudit, listInstanceAudit, verifyAudit] as const;
