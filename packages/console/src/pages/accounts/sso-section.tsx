import { LinkOutlined } from '@ant-design/icons';
import { connectSso, disconnectSso } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { showSignInMethods } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

/** Single sign-on of the account; nothing if the instance has no identity provider. */
export function SsoSection({ connectedAt }: { readonly connectedAt: string | undefined }) {
  const { t } = useTranslation();
  const methods = useAnswer(showSignInMethods, {});
  const connecting = useChange(connectSso);
  const disconnecting = useChange(disconnectSso);
  const isConnected = connectedAt !== undefined;
  if (!isConnected && methods.data?.sso !== true) return null;
  return (
    <Panel
      title={t('sso.title')}
      mark={isConnected && <Mark tone="good">{t('account.on')}</Mark>}
      actions={
        isConnected ? (
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
        )
      }
    >
      <p className="quiet">{t('sso.what')}</p>
      {isConnected && (
        <p className="quiet small">
          {t('account.since')} <Instant at={connectedAt} />
        </p>
      )}
      <ProblemAlert error={connecting.error} />
    </Panel>
  );
}
