import { useTranslation } from 'react-i18next';
import type { PushAttempt } from '../../api/shown-pushes.ts';
import { CommandBlock } from '../../parts/text/command-block.tsx';

/** The first KiB of what came back, or why there is none to show. */
export function AnswerBlock({ outcome, answer, withheld }: Pick<PushAttempt, 'outcome' | 'answer' | 'withheld'>) {
  const { t } = useTranslation();
  if (answer !== null) return <CommandBlock text={answer} label={t('push.answer.title')} wrapped />;
  const why = outcome === 'answered' ? (withheld ? 'withheld' : 'empty') : 'none';
  return <p className="quiet">{t(`push.answer.${why}`)}</p>;
}
