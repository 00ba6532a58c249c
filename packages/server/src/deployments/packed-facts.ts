import type { DeploymentFacts } from './access.ts';
import { type Columns, larger } from './packed-cache.ts';

/** What memory holds of a token; other facts are named by their ids. */
export interface HeldToken {
  readonly organizationId: string;
  /** Undefined: a token of another kind. */
  readonly deploymentId: string | undefined;
  readonly expiresAt: number | null;
}

/** What memory holds of a deployment; other facts are named by their ids. */
export interface HeldDeployment extends Omit<DeploymentFacts, 'allowList' | 'certificate'> {
  readonly certificateId: string;
  readonly requestsPerMinute: number | null;
  /** Key of its allow-list: many deployments share one, the networks of one site. */
  readonly listKey: string;
}

/** Two texts of each, which others hold as well. */
const textsOfEach = 2;

export function tokenColumns(): Columns<HeldToken> {
  const texts: (string | undefined)[] = [];
  let ends = new Float64Array(0);
  return {
    grow(places) {
      ends = larger(ends, new Float64Array(places));
    },
    get: (place) => ({
      organizationId: texts[textsOfEach * place] ?? '',
      deploymentId: texts[textsOfEach * place + 1],
      expiresAt: orNull(ends[place]),
    }),
    set(place, { organizationId, deploymentId, expiresAt }) {
      texts[textsOfEach * place] = organizationId;
      texts[textsOfEach * place + 1] = deploymentId;
      ends[place] = expiresAt ?? Number.NaN;
    },
    forget: (place) => texts.fill(undefined, textsOfEach * place, textsOfEach * (place + 1)),
  };
}

/** Of each deployment: when it ends, its requests a minute, its flags. */
const numbersOfEach = 3;
const flags = { enabled: 1, permitted: 2, queryToken: 4 } as const;

export function deploymentColumns(): Columns<HeldDeployment> {
  const texts: (string | undefined)[] = [];
  let numbers = new Float64Array(0);
  return {
    grow(places) {
      numbers = larger(numbers, new Float64Array(numbersOfEach * places));
    },
    get(place) {
      const number = numbersOfEach * place;
      const flagged = numbers[number + 2] as number;
      return {
        certificateId: texts[textsOfEach * place] ?? '',
        listKey: texts[textsOfEach * place + 1] ?? '',
        expiresAt: orNull(numbers[number]),
        requestsPerMinute: orNull(numbers[number + 1]),
        enabled: (flagged & flags.enabled) !== 0,
        permitted: (flagged & flags.permitted) !== 0,
        queryToken: (flagged & flags.queryToken) !== 0,
      };
    },
    set(place, deployment) {
      texts[textsOfEach * place] = deployment.certificateId;
      texts[textsOfEach * place + 1] = deployment.listKey;
      const number = numbersOfEach * place;
      numbers[number] = deployment.expiresAt ?? Number.NaN;
      numbers[number + 1] = deployment.requestsPerMinute ?? Number.NaN;
      numbers[number + 2] =
        (deployment.enabled ? flags.enabled : 0) |
        (deployment.permitted ? flags.permitted : 0) |
        (deployment.queryToken ? flags.queryToken : 0);
    },
    forget: (place) => texts.fill(undefined, textsOfEach * place, textsOfEach * (place + 1)),
  };
}

/** What is not set is held as NaN. */
function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
