/** Which role each action needs. The server decides by it, and the console hides actions that would be refused. */

/** Roles of a person or key in an organization. Each role includes the ones before it. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** `person` is anyone signed in, about themselves; `anyone` a known person or key; `public` needs no credential. */
export type Least = Role | 'operator' | 'person' | 'anyone' | 'public';

/** Every action of every operation. An operator may act in any organization; the audit trail names the operator. */
export const actions = {
  public: 'public',
  'me.read': 'person',
  'me.change': 'person',
  'organization.list': 'anyone',
  'organization.create': 'operator',
  'organization.read': 'viewer',
  'organization.update': 'operator',
  'organization.delete': 'operator',
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
  'certificate.update': 'developer',
  'certificate.delete': 'admin',
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
  // It allows messages again to a person who opted out by a reply.
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

/** @param role in the organization that the action is about, or `operator` */
export function roleSuffices(role: Role | 'operator', least: Least): boolean {
  if (role === 'operator' || least === 'anyone' || least === 'public' || least === 'person') return true;
  return least !== 'operator' && roles.indexOf(role) >= roles.indexOf(least);
}
