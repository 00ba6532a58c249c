import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type { Comparison } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { Alert } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark, type Tone } from '../../parts/marks/mark.tsx';
import { Fact } from '../../parts/text/fact.tsx';

/** The version that servers get now beside the one they would get, with the deployments touched. */
export function VersionComparison({ comparison }: { readonly comparison: Shown<Comparison> }) {
  const { t } = useTranslation();
  const { gained, lost, key, issuer, chain, expires, deployments, deployment_count: count } = comparison;
  const more = count - deployments.length;
  return (
    <section className="stack" aria-label={t('certificates.compare.title')}>
      <dl className="facts">
        <Fact name={t('certificates.columns.domains')}>
          {gained.length === 0 && lost.length === 0 ? (
            t('certificates.compare.sameNames')
          ) : (
            <>
              <Names names={lost} tone="bad" label={t('certificates.compare.lost')} />
              <Names names={gained} tone="good" label={t('certificates.compare.gained')} />
            </>
          )}
        </Fact>
        <Fact name={t('common.expires')}>
          <Change before={<Instant at={expires.before} dateOnly />} after={<Instant at={expires.after} dateOnly />} />
        </Fact>
        <Fact name={t('certificates.issuer')} className="break-anywhere">
          <Change before={issuer.before} after={issuer.after} />
        </Fact>
        <Fact name={t('certificates.keyType')}>
          {key.before === key.after ? key.after : <Change before={key.before} after={key.after} />}{' '}
          {t(key.same_key ? 'certificates.compare.sameKey' : 'certificates.compare.newKey')}
        </Fact>
        <Fact name={t('certificates.tabs.chain')}>
          <Change
            before={t('certificates.compare.chainLength', { count: chain.before })}
            after={t('certificates.compare.chainLength', { count: chain.after })}
          />
        </Fact>
        <Fact name={t('certificates.compare.touched')}>
          {count === 0 ? t('certificates.compare.noDeployment') : deployments.join(', ')}
          {more > 0 && ` ${t('certificates.compare.moreDeployments', { count: more })}`}
        </Fact>
      </dl>
      {lost.length > 0 && count > 0 && (
        <Alert
          type="error"
          showIcon
          title={t('certificates.compare.losesNames', { names: lost.slice(0, 5).join(', '), count })}
        />
      )}
    </section>
  );
}

function Change({ before, after }: { readonly before: ReactNode; readonly after: ReactNode }) {
  const { t } = useTranslation();
  if (before === after) return t('certificates.compare.unchanged', { value: before as string });
  return (
    <>
      <span className="quiet">{before}</span> → {after}
    </>
  );
}

interface NamesProps {
  readonly names: readonly string[];
  readonly tone: Tone;
  readonly label: string;
}

function Names({ names, tone, label }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <div className="break-anywhere">
      <Mark tone={tone}>{label}</Mark> {names.join(', ')}
    </div>
  );
}
