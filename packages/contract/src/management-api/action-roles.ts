/** Who may do what, as one table: the server decides by it, and a console leaves out what would be refused. */

/** What a person or key is in an organization; each may all that the one before may. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/**
 * The least that may: a role in the organization; `operator` of the instance; `person`, which is anybody who has signed in,
 * about themselves; `anyone` who is known, person or key; `public`, which needs no credential.
 */
export type Least = Role | 'operator' | 'person' | 'anyone' | 'public';

/**
 * Every action of every operation. An operator may act in any organization: whoever runs the instance could read its
 * database as well, and here each act is in the audit trail under the operator's name.
 */
export const actions = {
  /** Signing in and the like. */
  public: 'public',
  'me.read': 'person',
  'me.change': 'person',
  'organization.list': 'anyone',
  'organization.create': 'operator',
  'organization.read': 'viewer',
  'organization.suspend': 'operator',
  'organization.resume': 'operator',
  'member.read': 'viewer',
  'member.update': 'admin',
  'member.remove': 'admin',
  'member.leave': 'viewer',
  'invitation.read': 'admin',
  'invitation.create': 'admin',
  'invitation.revoke': 'admin',
  'management-key.read': 'admin',
  'management-key.create': 'admin',
  'management-key.update': 'admin',
  'management-key.rotate': 'admin',
  'management-key.delete': 'admin',
  'instance.management-key.read': 'operator',
  'instance.management-key.create': 'operator',
  'instance.management-key.update': 'operator',
  'instance.management-key.rotate': 'operator',
  'instance.management-key.delete': 'operator',
  'instance.account.read': 'operator',
  'instance.account.create': 'operator',
  'instance.account.reset': 'operator',
  'instance.account.disable': 'operator',
  'instance.account.enable': 'operator',
  'certificate.read': 'viewer',
  'certificate.import': 'developer',
  'certificate.revoke': 'admin',
  'certificate.export': 'admin',
  'deployment.read': 'viewer',
  'deployment.create': 'developer',
  'deployment.update': 'developer',
  'deployment.rotate': 'developer',
  'deployment.delete': 'developer',
  'message.read': 'viewer',
  'message.send': 'developer',
  'opt-out.read': 'viewer',
  'opt-out.add': 'developer',
  // Who opted out by a reply is written to again: not for everybody to decide.
  'opt-out.remove': 'admin',
  'blocked-number.read': 'viewer',
  'blocked-number.add': 'admin',
  'blocked-number.remove': 'admin',
  'blocked-word.read': 'viewer',
  'blocked-word.add': 'admin',
  'blocked-word.remove': 'admin',
  'messaging-setting.read': 'viewer',
  'messaging-setting.update': 'admin',
  'quota.update': 'operator',
  'messaging-key.read': 'viewer',
  'messaging-key.create': 'developer',
  'messaging-key.update': 'developer',
  'messaging-key.rotate': 'developer',
  'messaging-key.delete': 'developer',
  'push-setting.read': 'viewer',
  'push-setting.update': 'developer',
  'push-setting.test': 'developer',
  'push.read': 'viewer',
  'push.resend': 'developer',
  'route.read': 'viewer',
  'audit.read': 'admin',
  'event.read': 'viewer',
  'instance.read': 'operator',
  'instance.inspect': 'operator',
  'instance.master-key.read': 'operator',
  'instance.audit.read': 'operator',
  'instance.audit.verify': 'operator',
  'instance.carrier.read': 'operator',
  'instance.simulator.reply': 'operator',
  'instance.route.read': 'operator',
  'instance.route.add': 'operator',
  'instance.route.remove': 'operator',
  'instance.reply.read': 'operator',
  'instance.blocked-number.read': 'operator',
  'instance.blocked-number.add': 'operator',
  'instance.blocked-number.remove': 'operator',
  'instance.blocked-word.read': 'operator',
  'instance.blocked-word.add': 'operator',
  'instance.blocked-word.remove': 'operator',
  'instance.event.read': 'operator',
} as const satisfies Record<string, Least>;

export type Action = keyof typeof actions;

/** @param role in the organization that it is about; `operator` for whoever runs the instance */
export function roleSuffices(role: Role | 'operator', least: Least): boolean {
  if (role === 'operator' || least === 'anyone' || least === 'public' || least === 'person') return true;
  return least !== 'operator' && roles.indexOf(role) >= roles.indexOf(least);
}
