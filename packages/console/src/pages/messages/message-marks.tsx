import { useTranslation } from 'react-i18next';
import type { Message } from '../../api/shown-things.ts';
import { Mark } from '../../parts/marks/mark.tsx';
import { PushStateMark } from '../push/push-marks.tsx';

export const stateTones = { queued: 'info', sent: 'info', DELIVRD: 'good', UNDELIV: 'soon', REJECTED: 'bad' } as const;

/** The final status or the state of a message, and whether it is simulated. */
export function MessageMarks({ message }: { readonly message: Pick<Message, 'state' | 'status' | 'simulated'> }) {
  const { t } = useTranslation();
  const state = stateOf(message);
  return (
    <span className="row marks">
      <Mark tone={stateTones[state]}>{t(`messaging.states.${state}`)}</Mark>
      {message.simulated && <SimulatedMark />}
    </span>
  );
}

/** The final status, else the state. A settled message has a status. */
export function stateOf({ state, status }: Pick<Message, 'state' | 'status'>) {
  return status ?? (state === 'settled' ? 'sent' : state);
}

export function SimulatedMark() {
  const { t } = useTranslation();
  return (
    <span title={t('messaging.simulatedWhy')}>
      <Mark tone="soon">{t('messaging.simulated')}</Mark>
    </span>
  );
}

/** The state of a push; a dash if there is none. */
export function PushMark({ push }: { readonly push: Message['push'] }) {
  return push === undefined ? <span className="quiet">–</span> : <PushStateMark state={push} />;
}
