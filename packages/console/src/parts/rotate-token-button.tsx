import { SyncOutlined } from '@ant-design/icons';
import { rotateDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Button, Modal, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { TokenPanel } from './token-panel.tsx';

/** Seconds that the former token stays good. */
const overlaps = [0, 3_600, 86_400, 604_800] as const;

export function RotateButton({ organizationId, deploymentId }: { organizationId: string; deploymentId: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>(86_400);
  const rotating = useChange(rotateDeployment);
  const end = () => {
    setOpen(false);
    rotating.reset();
  };
  const { data } = rotating;
  return (
    <>
      <Button icon={<SyncOutlined />} onClick={() => setOpen(true)}>
        {t('deployments.rotate.button')}
      </Button>
      {isOpen && data === undefined && (
        <Modal
          open
          width={480}
          title={t('deployments.rotate.title')}
          okText={t('deployments.rotate.button')}
          confirmLoading={rotating.isPending}
          onOk={() =>
            rotating.mutate({
              params: { organization_id: organizationId, deployment_id: deploymentId },
              body: { overlap_seconds: overlap },
            })
          }
          onCancel={end}
        >
          <div className="stack">
            <p className="quiet">{t('deployments.rotate.what')}</p>
            {rotating.error !== null && <ProblemAlert error={rotating.error} />}
            <div className="row">
              <label htmlFor="overlap">{t('deployments.rotate.overlap')}</label>
              <Select
                id="overlap"
                style={{ minWidth: 160 }}
                value={overlap}
                options={overlaps.map((value) => ({ value, label: t(`deployments.rotate.overlaps.${value}`) }))}
                onChange={setOverlap}
              />
            </div>
          </div>
        </Modal>
      )}
      {isOpen && data !== undefined && (
        <Modal
          open
          width={760}
          title={t('deployments.rotate.done')}
          okText={t('deployments.tokenKept')}
          cancelButtonProps={{ style: { display: 'none' } }}
          // One click beside the dialog must not lose what is shown only once.
          mask={{ closable: false }}
          onOk={end}
          onCancel={end}
        >
          <div className="stack">
            <p>
              {t('deployments.rotate.formerUntil')} <Instant at={data.former_valid_until} />
            </p>
            <TokenPanel token={data.token} url={data.url} />
          </div>
        </Modal>
      )}
    </>
  );
}
