import { ExperimentOutlined } from '@ant-design/icons';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { testAuthority } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { Alert, Button, Skeleton } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

interface TestAuthorityButtonProps {
  readonly authority: { readonly id: string; readonly name: string };
}

/** Asks an authority for its directory and our account, and shows what it says. */
export function TestAuthorityButton({ authority: { id, name } }: TestAuthorityButtonProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const testing = useChange(testAuthority);
  const { data, error, isPending } = testing;
  const run = () => testing.mutate({ params: { authority_id: id } });
  return (
    <>
      <Button
        size="small"
        icon={<ExperimentOutlined />}
        aria-label={t('authorities.testNamed', { name })}
        onClick={() => {
          setOpen(true);
          run();
        }}
      >
        {t('authorities.test')}
      </Button>
      {isOpen && (
        <Dialog
          width={560}
          title={t('authorities.testNamed', { name })}
          okText={t('push.try.again')}
          cancelText={t('common.close')}
          confirmLoading={isPending}
          onOk={run}
          onCancel={() => setOpen(false)}
        >
          <div className="stack" aria-live="polite">
            <p className="quiet">{t('authorities.testWhat')}</p>
            <ProblemAlert error={error} />
            {isPending && <Skeleton active />}
            {data !== undefined && <Outcome of={data} />}
          </div>
        </Dialog>
      )}
    </>
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
            {/* Its own words. */}
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
