import type { AllowList } from '../http/ip-allow-list.ts';
import type { DeploymentFacts } from './access.ts';
import { type Columns, larger } from './packed-cache.ts';
import type { Reference } from './retrieval-cache.ts';
import type { RetrievableCertificate } from './retrieval-version.ts';

export interface HeldOrganization {
  readonly suspended: boolean;
}

export interface HeldList {
  readonly list: AllowList;
  readonly bytes: number;
}

/** What memory holds of a token; other facts are named. */
export interface HeldToken {
  readonly organization: Reference<HeldOrganization>;
  /** Undefined: a token of another kind. */
  readonly deploymentId: string | undefined;
  /** Of one of another kind: its holder's end counts, too. */
  readonly expiresAt: number | null;
}

/** What memory holds of a deployment; other facts are named. */
export interface HeldDeployment extends Omit<DeploymentFacts, 'allowList' | 'certificate'> {
  readonly certificate: Reference<RetrievableCertificate>;
  readonly requestsPerMinute: number | null;
  /** Many deployments share one, the networks of one site. */
  readonly list: Reference<HeldList>;
}

export function tokenColumns(): Columns<HeldToken> {
  const organizations: (HeldToken['organization'] | undefined)[] = [];
  const deployments: (string | undefined)[] = [];
  let ends = new Float64Array(0);
  return {
    grow(places) {
      ends = larger(ends, new Float64Array(places));
    },
    get: (place) => ({
      organization: organizations[place] as HeldToken['organization'],
      deploymentId: deployments[place],
      expiresAt: orNull(ends[place]),
    }),
    set(place, { organization, deploymentId, expiresAt }) {
      organizations[place] = organization;
      deployments[place] = deploymentId;
      ends[place] = expiresAt ?? Number.NaN;
    },
    forget(place) {
      organizations[place] = undefined;
      deployments[place] = undefined;
    },
  };
}

/** Of each deployment: when it ends, its requests a minute, its flags. */
const numbersOfEach = 3;
const flags = { enabled: 1, permitted: 2, queryToken: 4 } as const;

export function deploymentColumns(): Columns<HeldDeployment> {
  const certificates: (HeldDeployment['certificate'] | undefined)[] = [];
  const lists: (HeldDeployment['list'] | undefined)[] = [];
  let numbers = new Float64Array(0);
  return {
    grow(places) {
      numbers = larger(numbers, new Float64Array(numbersOfEach * places));
    },
    get(place) {
      const number = numbersOfEach * place;
      const flagged = numbers[number + 2] as number;
      return {
        certificate: certificates[place] as HeldDeployment['certificate'],
        list: lists[place] as HeldDeployment['list'],
        expiresAt: orNull(numbers[number]),
        requestsPerMinute: orNull(numbers[number + 1]),
        enabled: (flagged & flags.enabled) !== 0,
        permitted: (flagged & flags.permitted) !== 0,
        queryToken: (flagged & flags.queryToken) !== 0,
      };
    },
    set(place, deployment) {
      certificates[place] = deployment.certificate;
      lists[place] = deployment.list;
      const number = numbersOfEach * place;
      numbers[number] = deployment.expiresAt ?? Number.NaN;
      numbers[number + 1] = deployment.requestsPerMinute ?? Number.NaN;
      numbers[number + 2] =
        (deployment.enabled ? flags.enabled : 0) |
        (deployment.permitted ? flags.permitted : 0) |
        (deployment.queryToken ? flags.queryToken : 0);
    },
    forget(place) {
      certificates[place] = undefined;
      lists[place] = undefined;
    },
  };
}

/** What is not set is held as NaN. */
function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
