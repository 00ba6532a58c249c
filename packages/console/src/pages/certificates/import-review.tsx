import type { AnswerOf, BodyOf } from '@waxwing/contract/management-api/operation.ts';
import type {
  compareImport,
  importCertificate,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { Alert, Button, Checkbox, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { faultText } from '../../parts/text/fault-text.ts';
import { VersionComparison } from './version-comparison.tsx';

/** What a person decides about an import before it is stored. */
export type ImportChoice = Omit<BodyOf<typeof importCertificate>, 'files' | 'password' | 'name'>;

interface ImportReviewProps {
  readonly comparison: AnswerOf<typeof compareImport>;
  /** The certificate that was named beforehand: there is nothing to choose then. */
  readonly onto: string | undefined;
  readonly isComparing: boolean;
  readonly isImporting: boolean;
  /** Compares with another one of the existing certificates. */
  readonly onCompareWith: (certificateId: string) => void;
  readonly onBack: () => void;
  readonly onImport: (choice: ImportChoice) => void;
}

/**
 * Shows what the files hold and what would change, before anything is stored. Where certificates with these names exist,
 * the new version of the likeliest is chosen already.
 */
export function ImportReview(props: ImportReviewProps) {
  const { comparison, onto, isComparing, isImporting, onCompareWith, onBack, onImport } = props;
  const { t, i18n } = useTranslation();
  const { material, warnings, existing, target } = comparison;
  const [isSeparate, setSeparate] = useState(false);
  const [isConfirmed, setConfirmed] = useState(false);
  const [lacking, setLacking] = useState<'complete' | 'accept'>('complete');
  const into = isSeparate ? null : target;
  const mustConfirm = into?.needs_confirmation === true;

  function choose(value: string): void {
    setConfirmed(false);
    setSeparate(value === separate);
    if (value !== separate && value !== target?.id) onCompareWith(value);
  }

  function submit(): void {
    onImport({
      ...(into !== null && { onto: into.id }),
      ...(isSeparate && { separate: true }),
      ...(mustConfirm && { confirm_lost_names: true }),
      ...(comparison.missing_intermediate &&
        (lacking === 'complete' ? { complete_chain: true } : { incomplete_chain: true })),
    });
  }

  return (
    <section className="panel stack" style={{ maxWidth: 760 }} aria-label={t('certificates.review.title')}>
      <h2 className="panel-title">{t('certificates.review.title')}</h2>
      <dl className="facts">
        <Fact name={t('certificates.columns.domains')}>{material.domains.join(', ')}</Fact>
        <Fact name={t('common.expires')}>
          <ExpiryMark at={material.expires_at} />
        </Fact>
        <Fact name={t('certificates.issuer')} className="break-anywhere">
          {material.issuer}
        </Fact>
        <Fact name={t('certificates.keyType')}>{material.key_type}</Fact>
      </dl>
      {warnings
        .filter(({ code }) => code !== 'missing_intermediate' && code !== 'fewer_domains')
        .map((warning) => (
          <Alert
            key={warning.message}
            type="warning"
            showIcon
            title={faultText(i18n, 'certificateFaults.*', warning)}
          />
        ))}
      {comparison.missing_intermediate && (
        <Alert
          type="error"
          showIcon
          title={t('certificates.review.missing')}
          description={
            <Radio.Group
              className="stack tight"
              value={lacking}
              onChange={({ target: { value } }) => setLacking(value as typeof lacking)}
              options={[
                { value: 'complete', label: t('certificates.review.complete') },
                { value: 'accept', label: t('certificates.review.accept') },
              ]}
            />
          }
        />
      )}
      {onto === undefined && existing.length > 0 && (
        <fieldset className="choices">
          <legend className="panel-title">{t('certificates.review.existing')}</legend>
          <Radio.Group
            className="stack tight"
            disabled={isComparing || isImporting}
            value={isSeparate ? separate : target?.id}
            onChange={({ target: { value } }) => choose(value as string)}
            options={[
              ...existing.map(({ id, name, relation, deployments }) => ({
                value: id,
                label: t('certificates.review.into', {
                  name,
                  relation: t(`certificates.review.relations.${relation}`),
                  servers: t('certificates.review.servers', { count: deployments }),
                }),
              })),
              { value: separate, label: t('certificates.review.separate') },
            ]}
          />
        </fieldset>
      )}
      {into !== null && (
        <>
          <h2 className="panel-title">{t('certificates.compare.title')}</h2>
          <VersionComparison comparison={into} />
        </>
      )}
      {mustConfirm && (
        <Checkbox checked={isConfirmed} onChange={({ target: { checked } }) => setConfirmed(checked)}>
          {t('certificates.review.confirmLost')}
        </Checkbox>
      )}
      <div className="row end">
        <Button disabled={isImporting} onClick={onBack}>
          {t('certificates.review.back')}
        </Button>
        <Button
          type="primary"
          danger={mustConfirm}
          disabled={isComparing || (mustConfirm && !isConfirmed)}
          loading={isImporting}
          onClick={submit}
        >
          {into === null ? t('certificates.review.store') : t('certificates.review.storeVersion', { name: into.name })}
        </Button>
      </div>
    </section>
  );
}

const separate = 'separate';
