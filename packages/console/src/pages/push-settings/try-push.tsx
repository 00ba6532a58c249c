import { ExperimentOutlined } from '@ant-design/icons';
import { testPushSetting } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Button, Select, Skeleton } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { TestPush } from '../../api/shown-pushes.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { AttemptResult } from '../push/attempt-result.tsx';
import type { PushKind } from '../push/push-filters.ts';

interface TryPushProps {
  readonly organizationId: string;
  readonly kind: PushKind;
  /** There are unsaved changes, which the test would not use. */
  readonly isDisabled: boolean;
}

const samples = [
  ['delivered', 'DELIVRD'],
  ['undelivered', 'UNDELIV'],
  ['rejected', 'REJECTED'],
] as const;
type Sample = (typeof samples)[number][0];

/** Sends a test push, and shows the request and the response. */
export function TryPush({ organizationId, kind, isDisabled }: TryPushProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const trying = useChange(testPushSetting);
  const [sample, setSample] = useState<Sample>('delivered');
  const run = (of = sample) =>
    trying.mutate({
      params: { organization_id: organizationId, kind },
      ...(kind === 'status' && { query: { sample: of } }),
    });
  return (
    <>
      <Button
        icon={<ExperimentOutlined />}
        disabled={isDisabled}
        onClick={() => {
          setOpen(true);
          run();
        }}
      >
        {t('push.try.button')}
      </Button>
      {isDisabled && <span className="quiet small">{t('push.try.saveFirst')}</span>}
      {isOpen && (
        <Dialog
          width={720}
          title={t('push.try.title', { kind: t(`push.kinds.${kind}`) })}
          okText={t('push.try.again')}
          cancelText={t('common.close')}
          confirmLoading={trying.isPending}
          onOk={() => run()}
          onCancel={() => setOpen(false)}
        >
          <div className="stack" aria-live="polite">
            <p className="quiet">{t('push.try.what')}</p>
            {kind === 'status' && (
              <div className="row">
                <label htmlFor="test-sample">{t('push.try.sample')}</label>
                <Select
                  id="test-sample"
                  style={{ minWidth: 200 }}
                  value={sample}
                  disabled={trying.isPending}
                  options={samples.map(([value, status]) => ({ value, label: t(`messaging.states.${status}`) }))}
                  onChange={(next) => {
                    setSample(next);
                    run(next);
                  }}
                />
              </div>
            )}
            <ProblemAlert error={trying.error} />
            {trying.isPending && <Skeleton active />}
            {trying.data !== undefined && <Tried push={trying.data} />}
          </div>
        </Dialog>
      )}
    </>
  );
}

function Tried({ push }: { readonly push: TestPush }) {
  const { t } = useTranslation();
  const { url, headers, delivered } = push;
  const request = [`GET ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');
  return (
    <>
      <section className="stack tight" aria-label={t('push.try.sent')}>
        <h3>{t('push.try.sent')}</h3>
        <CopyBlock text={request} label={t('push.try.sent')} wrapped />
      </section>
      <section className="stack tight" aria-label={t('push.try.came')}>
        <h3>{t('push.try.came')}</h3>
        <AttemptResult
          attempt={push}
          head={
            <Mark tone={delivered ? 'good' : 'bad'}>
              {t(delivered ? 'push.try.delivered' : 'push.try.notDelivered')}
            </Mark>
          }
        />
      </section>
    </>
  );
}
