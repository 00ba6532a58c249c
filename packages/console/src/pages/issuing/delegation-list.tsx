import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { showCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { useTranslation } from 'react-i18next';
import { Mark } from '../../parts/marks/mark.tsx';
import { RunningAgo } from '../../parts/marks/running-ago.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';

export type Delegation = AnswerOf<typeof showCertificate>['delegation'][number];

/** The CNAME records that the owner of a domain sets once, and whether each was seen at the last look. */
export function DelegationList({ delegation }: { readonly delegation: readonly Delegation[] }) {
  const { t } = useTranslation();
  return (
    <ul className="delegations" aria-label={t('issuing.delegation.title')}>
      {delegation.map(({ name, target, seen, looked_at }) => (
        <li key={name}>
          <dl className="facts">
            <div>
              <dt>{t('issuing.delegation.name')}</dt>
              <dd>
                <CopiedText text={name} label={t('issuing.delegation.name')} />
              </dd>
            </div>
            <div>
              <dt>CNAME</dt>
              <dd>
                <CopiedText text={target} label="CNAME" />
              </dd>
            </div>
          </dl>
          <span className="row" role="status">
            {seen === true ? (
              <Mark tone="good">{t('issuing.delegation.seen')}</Mark>
            ) : (
              <Mark tone="soon">{t('issuing.delegation.notSeen')}</Mark>
            )}
            {looked_at !== null && (
              <span className="quiet small figures">
                {t('issuing.delegation.looked')} <RunningAgo at={looked_at} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
