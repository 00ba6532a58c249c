/** What the doctor can find: stable codes and parameter names. The server has the English sentences. */
import type { ParametersNamed } from './shared-schemas.ts';

type Names = Readonly<Record<string, readonly string[]>>;

/** Findings that need no action, and so have no remedy. */
export const findingsInOrder = {
  // The machine.
  settings_accepted: [],
  data_folder_private: ['folder'],
  disk_space_enough: ['mebibytes', 'folder'],
  master_key_readable: ['file', 'keys'],
  listener_on_loopback: ['host', 'port'],
  listener_with_tls: ['host', 'port'],
  listener_behind_trusted_proxies: ['host', 'port'],
  own_certificate_valid: ['file', 'until'],
  // The server that runs.
  server_not_running: ['folder'],
  server_running: ['version', 'folder'],
  // The database.
  schema_current: ['schema'],
  database_sound: ['server'],
  sealed_secrets_open: ['sealed'],
  audit_trail_unbroken: ['entries', 'link', 'mac'],
  certificates_not_expiring: ['count'],
  orders_succeeding: ['count'],
  allow_lists_in_order: ['count'],
  clock_plausible: [],
  push_receivers_answering: ['count'],
  alerts_arriving: ['count'],
} as const satisfies Names;

/** Findings that need action. The remedy says which. */
export const findingsWithRemedy = {
  check_impossible: ['fault'],
  // The machine.
  setting_refused: ['setting', 'fault'],
  data_folder_missing: ['folder'],
  data_folder_not_a_folder: ['folder'],
  data_folder_not_writable: ['folder', 'fault'],
  data_folder_open_to_others: ['folder', 'mode'],
  disk_space_short: ['mebibytes', 'folder'],
  disk_space_unknown: ['fault'],
  master_key_missing: ['file'],
  master_key_unreadable: ['fault'],
  master_key_open_to_others: ['file', 'mode'],
  master_key_unusable: ['fault'],
  master_key_beside_database: [],
  listener_refused: ['host'],
  listener_unusable: ['fault'],
  listener_plain_http: ['host', 'port'],
  own_certificate_expiring: ['file', 'until'],
  own_certificate_expired: ['file', 'until'],
  own_certificate_unusable: ['fault'],
  own_key_open_to_others: ['file'],
  // The server that runs.
  server_unreachable: ['fault'],
  control_socket_obstructed: ['file'],
  workers_faulty: ['faults'],
  forwarded_headers_untrusted: ['requests'],
  // The database.
  database_missing: [],
  database_lost: ['file'],
  database_not_opened: ['fault'],
  database_unreachable: ['fault', 'looks'],
  database_file_moved: ['file'],
  database_log_orphaned: ['files'],
  schema_outdated: ['schema', 'needed'],
  database_damaged: ['server', 'faults'],
  sealed_secrets_unopened: ['count', 'sealed', 'faults'],
  audit_trail_broken: ['links'],
  certificates_withheld: ['count', 'certificates'],
  certificates_expired: ['count', 'certificates'],
  certificates_expired_deployed: ['count', 'certificates'],
  certificates_expiring: ['count', 'certificates'],
  deployments_admitting_nobody: ['count', 'deployments'],
  deployments_admitting_everybody: ['count', 'deployments'],
  clock_apart: ['seconds'],
  clock_set_back: ['latest'],
  push_receivers_silent: ['count', 'settings'],
  pushes_failed: ['count', 'settings'],
  orders_failing: ['count', 'certificates'],
  alert_channel_missing: [],
  alert_mail_server_missing: ['count', 'channels'],
  alert_channels_failing: ['count', 'channels'],
} as const satisfies Names & { readonly [Code in CodeInOrder]?: never };

export type CodeInOrder = keyof typeof findingsInOrder;
export type CodeWithRemedy = keyof typeof findingsWithRemedy;
export type DoctorCode = CodeInOrder | CodeWithRemedy;

/** The parameters of a finding's message and remedy. */
export type DoctorParameters<Code extends DoctorCode> = ParametersNamed<
  (typeof findingsInOrder & typeof findingsWithRemedy)[Code]
>;
