import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { showCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';

export type IssuanceLine = AnswerOf<typeof showCertificate>['progress'][number];

/** Steps of an order that have texts. */
export const knownSteps = [
  ...(['delegate', 'register', 'place', 'find', 'authorizations', 'present', 'check', 'offer', 'wait'] as const),
  ...(['key', 'finalize', 'issue', 'store', 'clean', 'ended'] as const),
] as const;
export type KnownStep = (typeof knownSteps)[number];

/** Lines of one step that came one after the other with the same end. */
export interface ProgressGroup {
  readonly step: string;
  readonly state: IssuanceLine['state'];
  /** Of the last line. */
  readonly at: string;
  readonly lines: readonly { readonly domain: string | null; readonly words: string | null }[];
}

/** An order of a hundred names has hundreds of lines: those of one step are one. Pure. */
export function groupProgress(progress: readonly IssuanceLine[]): readonly ProgressGroup[] {
  const groups: ProgressGroup[] = [];
  for (const { step, state, at, domain, words } of progress) {
    const last = groups.at(-1);
    const lines = domain === null && words === null ? [] : [{ domain, words }];
    if (last?.step === step && last.state === state && state !== 'failed') {
      groups[groups.length - 1] = { ...last, at, lines: [...last.lines, ...lines] };
    } else groups.push({ step, state, at, lines });
  }
  return groups;
}

/** Names that are shown without being asked for. */
const fewLines = 4;

/** What somebody has to read stands out; all else is only looked up. Pure. */
export function linesLook({ step, state, lines }: ProgressGroup, isUnderWay: boolean): 'plain' | 'quiet' | 'folded' {
  const areRead = state === 'failed' || (isUnderWay && (state === 'running' || step === 'present'));
  if (areRead && lines.some(({ words }) => words !== null)) return 'plain';
  return lines.length > fewLines ? 'folded' : 'quiet';
}

/** The group whose records a person has to set by hand, until they are seen. Pure. */
export function recordsToSet(groups: readonly ProgressGroup[]): ProgressGroup | undefined {
  const index = groups.findLastIndex(({ step, state }) => step === 'present' && state === 'done');
  const hasGoneOn = groups.slice(index + 1).some(({ step, state }) => step !== 'check' || state === 'done');
  return hasGoneOn ? undefined : groups[index];
}

export function knownStep(step: string): KnownStep | undefined {
  return knownSteps.find((each) => each === step);
}
