import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { testAuthority } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { TestButton } from '../../parts/dialogs/test-button.tsx';
import { Fact } from '../../parts/text/fact.tsx';

interface TestAuthorityButtonProps {
  readonly authority: { readonly id: string; readonly name: string };
}

/** Asks an authority for its directory and for the account of this instance, and shows the authority's answer. */
export function TestAuthorityButton({ authority: { id, name } }: TestAuthorityButtonProps) {
  const { t } = useTranslation();
  const testing = useChange(testAuthority);
  return (
    <TestButton
      label={t('authorities.test')}
      title={t('authorities.testNamed', { name })}
      lead={t('authorities.testWhat')}
      testing={testing}
      run={() => testing.mutate({ params: { authority_id: id } })}
    >
      {testing.data !== undefined && <Outcome of={testing.data} />}
    </TestButton>
  );
}

function Outcome({ of }: { readonly of: AnswerOf<typeof testAuthority> }) {
  const { t, i18n } = useTranslation();
  const { ok, existed, error, account_url, renewal_info, profiles, terms_of_service, ms } = of;
  const time = t('push.milliseconds', { value: ms.toLocaleString(i18n.language) });
  if (!ok) {
    return (
      <Alert
        type="error"
        showIcon
        title={t('authorities.testFailed')}
        description={
          <div className="stack tight">
            {/* The authority's words. */}
            <span className="break-anywhere">{error}</span>
            <span className="quiet">{time}</span>
          </div>
        }
      />
    );
  }
  return (
    <>
      <Alert
        type="success"
        showIcon
        title={t(existed === true ? 'authorities.tested.found' : 'authorities.tested.made')}
        description={<span className="quiet">{time}</span>}
      />
      <dl className="facts">
        <Fact name={t('authorities.account')} className="mono break-anywhere">
          {account_url}
        </Fact>
        <Fact name={t('authorities.toldWhen')}>{t(renewal_info === true ? 'common.yes' : 'common.no')}</Fact>
        {profiles.length > 0 && (
          <Fact name={t('authorities.profiles')} className="mono break-anywhere">
            {profiles.join(', ')}
          </Fact>
        )}
        {terms_of_service !== null && (
          <Fact name={t('authorities.terms')} className="break-anywhere">
            <TermsLink url={terms_of_service} />
          </Fact>
        )}
      </dl>
    </>
  );
}

/** The authority may tell any text: only a web address becomes a link. */
function TermsLink({ url }: { readonly url: string }) {
  const isWeb = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
  if (!isWeb) return url;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  );
}
