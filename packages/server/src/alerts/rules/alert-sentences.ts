import type { AlertNotice, AlertParameters } from '@waxwing/contract/management-api/alert-notices.ts';

export interface Sentences {
  readonly subject: string;
  readonly detail: string;
}

const sentences: { readonly [Notice in AlertNotice]: (parameters: AlertParameters<Notice>) => Sentences } = {
  certificate_expiring: ({ certificate, days, until, deployments }) => ({
    subject: `Certificate ${certificate} expires in ${days === 1 ? '1 day' : `${days} days`}`,
    detail: `It expires at ${until} and is not renewed yet. Enabled deployments that fetch it: ${deployments}.`,
  }),
  certificate_expired: ({ certificate, until, deployments }) => ({
    subject: `Certificate ${certificate} has expired`,
    detail: `It expired at ${until} and is not renewed. Enabled deployments that fetch it: ${deployments}.`,
  }),
  certificate_expiring_resolved: ({ certificate }) => ({
    subject: `Certificate ${certificate} is not about to expire any more`,
    detail: 'It was renewed, revoked or deleted.',
  }),
  issuance_failed: ({ certificate, attempts, words }) => ({
    subject: `Certificate ${certificate} could not be issued`,
    detail: `Orders that failed: ${attempts}. The last one failed with “${words}”.`,
  }),
  issuance_failed_resolved: ({ certificate }) => ({
    subject: `Certificate ${certificate} does not fail to be issued any more`,
    detail: 'It was issued, revoked or deleted.',
  }),
  renewal_failed: ({ certificate, attempts, until, words }) => ({
    subject: `Certificate ${certificate} could not be renewed`,
    detail: `Its current version ends at ${until}. Orders that failed: ${attempts}. The last one failed with “${words}”.`,
  }),
  renewal_failed_resolved: ({ certificate }) => ({
    subject: `Certificate ${certificate} does not fail to be renewed any more`,
    detail: 'It was renewed, revoked or deleted.',
  }),
  rollout_complete: ({ certificate, version, deployments }) => ({
    subject: `Version ${version} of certificate ${certificate} has reached every server`,
    detail: `All enabled deployments have fetched it: ${deployments}.`,
  }),
  deployment_outdated: ({ deployment, certificate, since }) => ({
    subject: `Deployment ${deployment} does not have the current version of certificate ${certificate}`,
    detail: `The version has been current since ${since}, and the server has not fetched it yet.`,
  }),
  deployment_outdated_resolved: ({ deployment, certificate }) => ({
    subject: `Deployment ${deployment} is not behind any more`,
    detail: `It fetched the current version of certificate ${certificate}, or it was disabled or deleted.`,
  }),
  push_failing_status: ({ host, since }) => failing('Status', host, since),
  push_failing_uplink: ({ host, since }) => failing('Reply', host, since),
  push_failing_status_resolved: ({ host }) => working('Status', host),
  push_failing_uplink_resolved: ({ host }) => working('Reply', host),
  carrier_down: ({ carrier, since, words }) => ({
    subject: `Carrier ${carrier} has no link`,
    detail: `No connection takes messages since ${since}. The last error: “${words}”.`,
  }),
  carrier_down_silent: ({ carrier, since }) => ({
    subject: `Carrier ${carrier} has no link`,
    detail: `No connection takes messages since ${since}, and none has told an error. Check that a server runs.`,
  }),
  carrier_refused: ({ carrier, since, words }) => ({
    subject: `Carrier ${carrier} refuses the bind`,
    detail: `No connection takes messages since ${since}. The last error: “${words}”. Check account and password.`,
  }),
  carrier_down_resolved: ({ carrier }) => ({
    subject: `Carrier ${carrier} is not down any more`,
    detail: 'It has a link again, or it was disabled or deleted.',
  }),
  instance_disk: ({ server, percent, mebibytes }) => ({
    subject: `The disk of server ${server} is nearly full`,
    detail: `${percent} % (${mebibytes} MiB) are free where its data folder is.`,
  }),
  instance_disk_resolved: ({ server }) => ({
    subject: `The disk of server ${server} has room again`,
    detail: 'More than a tenth is free where its data folder is, or the server runs no more.',
  }),
  instance_backup_old: ({ at, planned }) => ({
    subject: 'The last backup is older than planned',
    detail: `It was made at ${at}, and should be no older than ${planned}.`,
  }),
  instance_backup_none: ({ planned }) => ({
    subject: 'There is no backup yet',
    detail: `The last one should be no older than ${planned}.`,
  }),
  instance_backup_resolved: () => ({
    subject: 'The last backup is recent again',
    detail: 'A backup was made, or none is planned any more.',
  }),
  instance_clock: ({ server, seconds }) => ({
    subject: `The clock of server ${server} is off`,
    detail: `It differs from the clock of the database by ${seconds} s.`,
  }),
  instance_clock_resolved: ({ server }) => ({
    subject: `The clock of server ${server} is right again`,
    detail: 'It agrees with the clock of the database, or the server runs no more.',
  }),
};

function failing(what: string, host: string | number, since: string | number): Sentences {
  return {
    subject: `${what} pushes to ${host} are failing`,
    detail: `None was answered with status 200 since ${since}. Send a test push to see why: "waxwing push-setting test".`,
  };
}

function working(what: string, host: string | number): Sentences {
  return {
    subject: `${what} pushes to ${host} are delivered again`,
    detail: 'One was answered with status 200, or their setting was changed or switched off.',
  };
}

/** The sentence of a notice in English. */
export function sentencesOf(notice: AlertNotice, parameters: Readonly<Record<string, string | number>>): Sentences {
  const say: (parameters: never) => Sentences = sentences[notice];
  return say(parameters as never);
}
