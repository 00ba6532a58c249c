import { useTranslation } from 'react-i18next';
import type { Carrier } from '../../api/shown-carriers.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { RunningAgo } from '../../parts/marks/running-ago.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { BoundedCount } from '../instance/bounded-count.tsx';
import { BoundConnections } from './carrier-marks.tsx';

/** What the link of a carrier has done, and what waits for it. */
export function CarrierFacts({ carrier }: { readonly carrier: Carrier }) {
  const { t, i18n } = useTranslation();
  const { last_keep_alive_at, held_by, held_until, oldest_due_at } = carrier;
  const counts = ['submitted', 'accepted', 'refused', 'throttled', 'receipts', 'unmatched_receipts'] as const;
  return (
    <section className="panel" aria-label={t('carriers.groups.facts')}>
      <dl className="facts push-figures carrier-figures">
        <Fact name={t('carriers.facts.bound')} className="figures large">
          <BoundConnections connections={carrier.connections} />
        </Fact>
        <Fact name={t('carriers.facts.waiting')} className="figures large">
          <BoundedCount count={carrier.waiting_parts} />
        </Fact>
        {counts.map((name) => (
          <Fact key={name} name={t(`carriers.facts.${name}`)} className="figures large">
            {carrier[name].toLocaleString(i18n.language)}
          </Fact>
        ))}
        <Fact name={t('carriers.facts.oldest')}>
          {oldest_due_at === null ? t('carriers.nothingWaits') : <Instant at={oldest_due_at} />}
        </Fact>
        <Fact name={t('carriers.facts.keepAlive')}>
          {last_keep_alive_at === null ? t('carriers.notYet') : <RunningAgo at={last_keep_alive_at} />}
        </Fact>
        <div className="wide">
          <dt>{t('carriers.facts.heldBy')}</dt>
          <dd>
            {held_by === null ? (
              t('carriers.idle')
            ) : (
              <>
                <span className="mono break-anywhere">{held_by}</span>
                {held_until !== null && (
                  <span className="quiet small">
                    {' '}
                    {t('carriers.heldUntil')} <Instant at={held_until} />
                  </span>
                )}
              </>
            )}
          </dd>
        </div>
      </dl>
    </section>
  );
}
