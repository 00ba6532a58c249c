import { useTranslation } from 'react-i18next';
import type { Message } from '../../api/shown-things.ts';
import { Mark } from '../../parts/mark.tsx';
import { PushStateMark } from '../push/push-marks.tsx';

export const stateTones = { queued: 'info', sent: 'info', DELIVRD: 'good', UNDELIV: 'soon', REJECTED: 'bad' } as const;

/** The final status, or how far the message has come; and whether it is only simulated. */
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

/** The final status, else the state; a settled message has its status. */
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

/** How far a push has come; a dash where there is none to speak of. */
export function PushMark({ push }: { readonly push: Message['push'] }) {
  return push === undefined ? <span className="quiet">–</span> : <PushStateMark state={push} />;
}
