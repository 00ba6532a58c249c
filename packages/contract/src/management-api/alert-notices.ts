/** What alerts tell: stable types, the notices of each, and their parameter names. The server has the English sentences. */
import type { ParametersNamed } from './shared-schemas.ts';

type Names = Readonly<Record<string, readonly string[]>>;

/** The end of one is `<type>.resolved`. Of `certificate.rollout-complete` there is none: it is an event. */
export const alertTypes = [
  'certificate.expiring',
  'certificate.issuance-failed',
  'certificate.renewal-failed',
  'certificate.rollout-complete',
  'deployment.outdated',
  'push.failing',
  'carrier.down',
  'instance.disk',
  'instance.backup',
  'instance.clock',
] as const;
export type AlertType = (typeof alertTypes)[number];

/** Each has a sentence as its subject, and one as its detail. */
export const alertNotices = {
  certificate_expiring: ['certificate', 'days', 'until', 'deployments'],
  certificate_expired: ['certificate', 'until', 'deployments'],
  certificate_expiring_resolved: ['certificate'],
  issuance_failed: ['certificate', 'attempts', 'words'],
  issuance_failed_resolved: ['certificate'],
  renewal_failed: ['certificate', 'attempts', 'until', 'words'],
  renewal_failed_resolved: ['certificate'],
  rollout_complete: ['certificate', 'version', 'deployments'],
  deployment_outdated: ['deployment', 'certificate', 'since'],
  deployment_outdated_resolved: ['deployment', 'certificate'],
  push_failing_status: ['host', 'since'],
  push_failing_uplink: ['host', 'since'],
  push_failing_status_resolved: ['host'],
  push_failing_uplink_resolved: ['host'],
  carrier_down: ['carrier', 'since', 'words'],
  carrier_down_silent: ['carrier', 'since'],
  carrier_refused: ['carrier', 'since', 'words'],
  carrier_down_resolved: ['carrier'],
  instance_disk: ['server', 'percent', 'mebibytes'],
  instance_disk_resolved: ['server'],
  instance_backup_old: ['at', 'planned'],
  instance_backup_none: ['planned'],
  instance_backup_resolved: [],
  instance_clock: ['server', 'seconds'],
  instance_clock_resolved: ['server'],
} as const satisfies Names;
export type AlertNotice = keyof typeof alertNotices;

/** The parameters of a notice's sentences. */
export type AlertParameters<Notice extends AlertNotice> = ParametersNamed<(typeof alertNotices)[Notice]>;
