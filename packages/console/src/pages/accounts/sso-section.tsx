import { LinkOutlined } from '@ant-design/icons';
import { connectSso, disconnectSso } from '@waxwing/contract/management-api/account-operations.ts';
import { showSignInMethods } from '@waxwing/contract/management-api/sign-in-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Mark } from '../../parts/mark.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

/** Signing in by the organization's identity provider; nothing where the instance has none. */
export function SsoSection({ connectedAt }: { readonly connectedAt: string | undefined }) {
  const { t } = useTranslation();
  const methods = useAnswer(showSignInMethods, {});
  const connecting = useChange(connectSso);
  const disconnecting = useChange(disconnectSso);
  const isConnected = connectedAt !== undefined;
  if (!isConnected && methods.data?.sso !== true) return null;
  return (
    <section className="panel stack tight" aria-labelledby="sso-section">
      <div className="row">
        <h2 id="sso-section" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
          {t('sso.title')} {isConnected && <Mark tone="good">{t('account.on')}</Mark>}
        </h2>
        {isConnected ? (
          <ConfirmButton
            danger
            text={t('sso.disconnect')}
            title={t('sso.disconnectTitle')}
            what={t('sso.disconnectWhat')}
            change={disconnecting}
            input={{}}
          />
        ) : (
          <Button
            icon={<LinkOutlined />}
            loading={connecting.isPending}
            onClick={() => connecting.mutate({}, { onSuccess: ({ url }) => location.assign(url) })}
          >
            {t('sso.connect')}
          </Button>
        )}
      </div>
      <p className="quiet">{t('sso.what')}</p>
      {isConnected && (
        <p className="quiet small">
          {t('account.since')} <Instant at={connectedAt} />
        </p>
      )}
      {connecting.error !== null && <ProblemAlert error={connecting.error} />}
    </section>
  );
}
