import { ReloadOutlined } from '@ant-design/icons';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { listOfferedAuthorities } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import {
  renewCertificate,
  requestCertificateAgain,
  type showCertificate,
  showIssuanceProgress,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { listDnsProviders } from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { challengeKey } from './challenge-key.ts';
import { DelegationList } from './delegation-list.tsx';
import './issuing.css';
import { RenewalMark } from '../certificates/renewal-mark.tsx';
import { ProgressSteps } from './progress-steps.tsx';

/** A look that finds what the look before found is no news: nothing tells the page of it. */
export const waitingRefreshMs = 5_000;

interface IssuingPanelsProps {
  readonly certificate: AnswerOf<typeof showCertificate>;
}

/** The authority of a certificate, its next renewal, the CNAMEs it waits for, and the progress of the latest order. */
export function IssuingPanels({ certificate }: IssuingPanelsProps) {
  const { t } = useTranslation();
  const { organization_id, id, state, authority, request, renewal, progress, delegation } = certificate;
  const named = { params: { organization_id, certificate_id: id } };
  const may = useMay(organization_id);
  const isRunning = renewal?.state === 'running';
  const look = useAnswer(showIssuanceProgress, named, {
    enabled: isRunning,
    refetchInterval: () => (isRunning ? waitingRefreshMs : false),
  });
  const isAsked = { enabled: request !== null };
  const offered = usePages(listOfferedAuthorities, { params: { organization_id } }, isAsked);
  const providers = usePages(listDnsProviders, { params: { organization_id } }, isAsked);
  const renewing = useChange(renewCertificate);
  const again = useChange(requestCertificateAgain);
  if (request === null || renewal === null) return null;

  const authorityName = (one: string) => offered.items?.find((each) => each.id === one)?.name ?? one;
  const provider = providers.items?.find((each) => each.id === request.dns_provider);
  const isRenewable = state === 'issued' && renewal.state === 'planned';
  const text = isRunning ? 'lookNow' : isRenewable ? 'renewNow' : 'tryAgain';
  const change = isRenewable ? renewing : again;
  const nextLook = isRunning ? (look.data?.next_at ?? null) : null;
  const waitsForRecord = isRunning && progress.at(-1)?.step === 'delegate' && delegation.length > 0;

  return (
    <>
      <Panel
        title={t('issuing.panel.title')}
        mark={<RenewalMark renewal={renewal} />}
        actions={
          state !== 'revoked' &&
          may(isRenewable ? renewCertificate : requestCertificateAgain) && (
            <Button
              icon={<ReloadOutlined />}
              {...(renewal.last_error !== null && !isRunning && ({ type: 'primary' } as const))}
              loading={change.isPending}
              onClick={() => change.mutate(named)}
            >
              {t(`issuing.panel.${text}`)}
            </Button>
          )
        }
      >
        <ProblemAlert error={change.error} />
        {renewal.last_error !== null && (
          <Alert
            type="error"
            showIcon
            title={t(state === 'issued' ? 'issuing.panel.renewalFailed' : 'issuing.panel.requestFailed', {
              count: renewal.attempts,
            })}
            description={
              <div className="stack tight">
                <span className="break-anywhere">{renewal.last_error}</span>
                {renewal.last_error_at !== null && (
                  <span className="quiet small">
                    <Instant at={renewal.last_error_at} />
                  </span>
                )}
              </div>
            }
          />
        )}
        <dl className="facts">
          <Fact name={t(renewal.last_error === null ? 'issuing.panel.next' : 'issuing.calendar.nextTry')}>
            {renewal.next_at !== null && <Instant at={renewal.next_at} />}
            {renewal.next_at === null && t(isRunning ? 'issuing.panel.running' : 'issuing.panel.off')}
          </Fact>
          {nextLook !== null && (
            <Fact name={t('issuing.panel.nextLook')}>
              <Instant at={nextLook} />
            </Fact>
          )}
          {renewal.window !== null && (
            <Fact name={t('issuing.panel.window')}>
              <Instant at={renewal.window.start} /> – <Instant at={renewal.window.end} />
            </Fact>
          )}
          <Fact name={t('issuing.request.authority')}>
            {request.authorities.length > 1
              ? request.authorities.map(authorityName).join(' → ')
              : (authority?.name ?? request.authorities.map(authorityName).join())}
          </Fact>
          <Fact name={t('issuing.request.challenge')}>
            {t(`issuing.challenges.${challengeKey(request.challenge)}`)}
          </Fact>
          {request.challenge === 'dns-01' && (
            <Fact name={t('issuing.request.dnsProvider')}>
              {request.dns_provider === null ? t('issuing.request.managed') : (provider?.name ?? request.dns_provider)}
            </Fact>
          )}
          <Fact name={t('issuing.request.key')}>
            {t(`issuing.keys.${request.key}`)}
            {request.keep_key && ` · ${t('issuing.panel.keepsKey')}`}
          </Fact>
          {request.profile !== null && (
            <Fact name={t('issuing.request.profile')}>
              <CopiedText text={request.profile} label={t('issuing.request.profile')} />
            </Fact>
          )}
        </dl>
      </Panel>
      {delegation.length > 0 && (
        <Panel title={t('issuing.delegation.title')}>
          <p className="quiet">{waitsForRecord ? t('issuing.delegation.lead') : t('issuing.delegation.keep')}</p>
          <DelegationList delegation={delegation} />
        </Panel>
      )}
      <Panel title={t('issuing.progress.title')}>
        <ProgressSteps progress={progress} isUnderWay={isRunning} isByHand={provider?.kind === 'manual'} />
      </Panel>
    </>
  );
}
