import { useTranslation } from 'react-i18next';
import type { Push } from '../../api/shown-pushes.ts';
import { Mark, type Tone } from '../../parts/marks/mark.tsx';

const tones: Readonly<Record<Push['state'], Tone>> = {
  waiting: 'info',
  delivered: 'good',
  failed: 'bad',
  off: 'plain',
};

export function PushStateMark({ state }: Pick<Push, 'state'>) {
  const { t } = useTranslation();
  return <Mark tone={tones[state]}>{t(`push.list.states.${state}`)}</Mark>;
}

export function SwitchMark({ enabled, isSet = true }: { readonly enabled: boolean; readonly isSet?: boolean }) {
  const { t } = useTranslation();
  if (!isSet) return <Mark>{t('push.notSet')}</Mark>;
  // Not green: being switched on says nothing of how it goes.
  return <Mark tone={enabled ? 'info' : 'plain'}>{t(enabled ? 'push.on' : 'push.off')}</Mark>;
}
