import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { TestButton } from '../../parts/dialogs/test-button.tsx';
import type { AlertChannel, AlertScope } from './alert-scope.ts';
import { sendingFailureText } from './sending-failure.ts';

interface TestChannelButtonProps {
  readonly scope: AlertScope;
  readonly channel: Pick<AlertChannel, 'id' | 'name'>;
}

/** Sends a test alert, and shows the receiver's answer. */
export function TestChannelButton({ scope: { operations, params }, channel: { id, name } }: TestChannelButtonProps) {
  const { t, i18n } = useTranslation();
  const testing = useChange(operations.test);
  const { data } = testing;
  return (
    <TestButton
      label={t('alertChannels.test')}
      title={t('alertChannels.testNamed', { name })}
      lead={t('alertChannels.testWhat')}
      testing={testing}
      run={() => testing.mutate({ params: { ...params, alert_channel_id: id } })}
    >
      {data !== undefined && (
        <Alert
          type={data.sent ? 'success' : 'error'}
          showIcon
          title={t(data.sent ? 'alertChannels.tested' : 'alertChannels.testRefused')}
          description={
            <div className="stack tight">
              {data.error !== null && <span className="break-anywhere">{sendingFailureText(i18n, data.error)}</span>}
              <span className="quiet break-anywhere">
                {data.to} · {t('push.milliseconds', { value: data.ms.toLocaleString(i18n.language) })}
              </span>
            </div>
          }
        />
      )}
    </TestButton>
  );
}
