import { SyncOutlined } from '@ant-design/icons';
import { Button, Modal, Select } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Instant } from './instant.tsx';
import { ProblemAlert } from './problem-alert.tsx';

/** Seconds that the former token stays good. */
const overlaps = [0, 3_600, 86_400, 604_800] as const;

interface Rotated {
  readonly token: string;
  readonly former_valid_until: string;
}

export interface RotateTokenButtonProps<Answer extends Rotated> {
  /** What makes the new token, as `useChange` gives it. */
  readonly rotating: {
    readonly data: Answer | undefined;
    readonly error: unknown;
    readonly isPending: boolean;
    reset(): void;
  };
  readonly onRotate: (overlapSeconds: number) => void;
  /** Why the overlap matters here. */
  readonly what: string;
  /** The new token, and what to do with it. */
  readonly children: (answer: Answer) => ReactNode;
}

/** Makes a new token while the former one stays good for a while; the new one is shown once. */
export function RotateTokenButton<Answer extends Rotated>(props: RotateTokenButtonProps<Answer>) {
  const { t } = useTranslation();
  const { rotating, onRotate, what, children } = props;
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>(86_400);
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
          onOk={() => onRotate(overlap)}
          onCancel={end}
        >
          <div className="stack">
            <p className="quiet">{what}</p>
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
            {children(data)}
          </div>
        </Modal>
      )}
    </>
  );
}
