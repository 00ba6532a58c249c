import { ExperimentOutlined } from '@ant-design/icons';
import { Alert, Button, Skeleton } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import type { AlertChannel, AlertScope } from './alert-scope.ts';
import { sendingFailureText } from './sending-failure.ts';

interface TestChannelButtonProps {
  readonly scope: AlertScope;
  readonly channel: Pick<AlertChannel, 'id' | 'name'>;
}

/** Sends a test alert, and shows what the receiver says to it. */
export function TestChannelButton({ scope: { operations, params }, channel: { id, name } }: TestChannelButtonProps) {
  const { t, i18n } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const testing = useChange(operations.test);
  const { data, error, isPending } = testing;
  const run = () => testing.mutate({ params: { ...params, alert_channel_id: id } });
  return (
    <>
      <Button
        size="small"
        icon={<ExperimentOutlined />}
        aria-label={t('alertChannels.testNamed', { name })}
        onClick={() => {
          setOpen(true);
          run();
        }}
      >
        {t('alertChannels.test')}
      </Button>
      {isOpen && (
        <Dialog
          width={520}
          title={t('alertChannels.testNamed', { name })}
          okText={t('push.try.again')}
          cancelText={t('common.close')}
          confirmLoading={isPending}
          onOk={run}
          onCancel={() => setOpen(false)}
        >
          <div className="stack" aria-live="polite">
            <p className="quiet">{t('alertChannels.testWhat')}</p>
            <ProblemAlert error={error} />
            {isPending && <Skeleton active />}
            {data !== undefined && (
              <Alert
                type={data.sent ? 'success' : 'error'}
                showIcon
                title={t(data.sent ? 'alertChannels.tested' : 'alertChannels.testRefused')}
                description={
                  <div className="stack tight">
                    {data.error !== null && (
                      <span className="break-anywhere">{sendingFailureText(i18n, data.error)}</span>
                    )}
                    <span className="quiet break-anywhere">
                      {data.to} · {t('push.milliseconds', { value: data.ms.toLocaleString(i18n.language) })}
                    </span>
                  </div>
                }
              />
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
