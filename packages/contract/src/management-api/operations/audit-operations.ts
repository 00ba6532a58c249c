import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, listOf, nullable, partialPage, sentenceParameters, stableCode, Time } from '../shared-schemas.ts';

const operation = operationsOf('audit');

export const AuditName = Type.Object(
  {
    kind: Type.Enum(['account', 'certificate', 'deployment', 'management-key', 'messaging-key', 'organization']),
    name: Type.String(),
  },
  { $id: 'AuditName', ...closed, description: 'The current name of a thing, or email address of a person.' },
);
export type AuditName = Type.Static<typeof AuditName>;

export const AuditEntry = Type.Object(
  {
    link: Type.Integer({ minimum: 1, description: 'The link of the chain that holds it.' }),
    at: Time,
    organization_id: nullable(Id, { description: 'The organization that it concerns. Null: the instance.' }),
    actor: Type.String({
      description:
        '`account:`, `key:`, `cli:` or `deployment:` and an id or name; `acme` is the service itself, which issues and renews.',
    }),
    actor_name: nullable(Type.String(), {
      description: "The actor's current email address or name. Null: it does not exist, or no longer.",
    }),
    action: Type.String(),
    subject: Type.String({ description: 'What it was done to.' }),
    subject_name: nullable(AuditName, {
      description: 'Its current name. Null: it has none, or does not exist any more.',
    }),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'AuditEntry', ...closed, description: 'Who did what. No phone numbers, no secrets.' },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

const words = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
const filters = {
  actor: words("Only this actor's entries. Give the actor as shown, or a person's email address."),
  action: words('Only this action, or all actions of a kind: `deployment.` with its dot.'),
  subject: words('Only what was done to this.'),
  since: Type.Optional(Time),
  until: Type.Optional(Time),
};
const description = `Newest first. ${partialPage}`;

export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/organizations/{organization_id}/audit',
  summary: 'List who did what in an organization',
  description,
  action: 'audit.read',
  ...listOf(AuditEntry, filters),
});

export const listInstanceAudit = operation({
  id: 'listInstanceAudit',
  method: 'GET',
  path: '/instance/audit',
  summary: 'List who did what',
  description,
  action: 'instance.audit.read',
  ...listOf(AuditEntry, { organization_id: Type.Optional(Id), ...filters }),
});

const Head = Type.Object(
  {
    link: Type.Integer({ minimum: 0 }),
    mac: Type.String({ pattern: '^[0-9a-fA-F]{0,64}$', description: 'Hexadecimal.' }),
  },
  { $id: 'AuditHead', ...closed, description: 'The end of the chain. Keep it in another place.' },
);

export const verifyAudit = operation({
  id: 'verifyAudit',
  method: 'POST',
  path: '/instance/audit/verify',
  summary: 'Recompute the audit chain',
  description:
    'Finds any entry changed, removed, inserted or cut off. Goes through the whole trail, which can take long (`showInstanceWork` ' +
    'shows its progress). A server runs it once at a time, and all who request the same share its answer. So after a lost connection, ' +
    'request it again.',
  action: 'instance.audit.verify',
  body: Type.Object(
    { head: Type.Optional(Head) },
    {
      $id: 'AuditVerification',
      ...closed,
      description: 'A head noted earlier, which the chain must still contain.',
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
              code: stableCode('Stable: the kind of fault.'),
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
