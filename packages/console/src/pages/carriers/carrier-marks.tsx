import { useTranslation } from 'react-i18next';
import type { ListedCarrier } from '../../api/shown-carriers.ts';
import { Mark } from '../../parts/marks/mark.tsx';

type Connection = ListedCarrier['connections'][number];

const tones = { disabled: 'plain', connecting: 'info', bound: 'good', degraded: 'soon', refused: 'bad' } as const;

/** A link that tries again after a fault is not as well as one that was just begun. */
const toneOf = (state: keyof typeof tones, hasFault: boolean) =>
  state === 'connecting' && hasFault ? 'soon' : tones[state];

export function CarrierStateMark({ carrier }: { readonly carrier: Pick<ListedCarrier, 'state' | 'connections'> }) {
  const { t } = useTranslation();
  const hasFault = carrier.connections.some(({ last_error }) => last_error !== null);
  return <Mark tone={toneOf(carrier.state, hasFault)}>{t(`carriers.states.${carrier.state}`)}</Mark>;
}

export function ConnectionMark({ connection: { state, last_error } }: { readonly connection: Connection }) {
  const { t } = useTranslation();
  return <Mark tone={toneOf(state, last_error !== null)}>{t(`carriers.states.${state}`)}</Mark>;
}

/** `2 of 4`. */
export function BoundConnections({ connections }: Pick<ListedCarrier, 'connections'>) {
  const { t } = useTranslation();
  if (connections.length === 0) return '–';
  const bound = connections.filter(({ state }) => state === 'bound').length;
  return t('carriers.boundOf', { bound, count: connections.length });
}
