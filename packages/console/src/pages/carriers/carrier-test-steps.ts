import type { TestedCarrier } from '../../api/shown-carriers.ts';
import type { Protocol } from './carrier-values.ts';

type StepName = TestedCarrier['steps'][number]['name'];

/** A step that worked and how long it took, the one that failed, or one that was not tried any more. */
export type TestStep = { readonly name: StepName } & (
  | { readonly state: 'worked'; readonly ms: number }
  | { readonly state: 'failed' }
  | { readonly state: 'notTried' }
);

/** All steps of a test, in their order. Pure. @param withMessage whether one was to be sent */
export function carrierTestSteps(
  protocol: Protocol,
  withMessage: boolean,
  { ok, steps }: Pick<TestedCarrier, 'ok' | 'steps'>,
): readonly TestStep[] {
  const names: readonly StepName[] = [
    ...(['connect', 'bind', protocol === 'smpp' ? 'enquire' : 'active-test'] as const),
    ...(withMessage ? (['submit'] as const) : []),
  ];
  return names.map((name, place) => {
    const step = steps[place];
    if (step !== undefined) return { name, state: 'worked', ms: step.ms };
    return { name, state: !ok && place === steps.length ? 'failed' : 'notTried' };
  });
}
