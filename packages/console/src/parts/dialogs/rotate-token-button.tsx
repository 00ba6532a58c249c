import { SyncOutlined } from '@ant-design/icons';
import type { UseMutationResult } from '@tanstack/react-query';
import { Button, type ButtonProps, Select } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Instant } from '../marks/instant.tsx';
import { ProblemAlert } from '../text/problem-alert.tsx';
import { Dialog } from './dialog.tsx';
import { ShownOnceModal } from './shown-once-modal.tsx';

/** Seconds for which the former token stays valid. */
const overlaps = [0, 3_600, 86_400, 604_800] as const;
const usualOverlap = 86_400;

interface RotatedToken {
  readonly token: string;
  readonly former_valid_until: string;
}

interface RotateTokenButtonProps<Rotated extends RotatedToken> {
  /** The change that creates the token, as `useChange` gives it. */
  readonly rotation: Pick<UseMutationResult<Rotated>, 'data' | 'error' | 'isPending' | 'reset'>;
  readonly onRotate: (overlapSeconds: number) => void;
  /** What to do with the new token, in a sentence. */
  readonly what: string;
  /** The new token, shown once. */
  readonly panel: (rotated: Rotated) => ReactNode;
  readonly size?: ButtonProps['size'];
  /** Names its subject, where a list has several such buttons. */
  readonly label?: string;
}

/** Creates a new token. The former one stays valid for a while. */
export function RotateTokenButton<Rotated extends RotatedToken>(props: RotateTokenButtonProps<Rotated>) {
  const { rotation, onRotate, what, panel, size = 'middle', label } = props;
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>(usualOverlap);
  const end = () => {
    setOpen(false);
    setOverlap(usualOverlap);
    rotation.reset();
  };
  const { data } = rotation;
  return (
    <>
      <Button icon={<SyncOutlined />} size={size} aria-label={label} onClick={() => setOpen(true)}>
        {t('deployments.rotate.button')}
      </Button>
      {isOpen && data === undefined && (
        <Dialog
          width={480}
          title={t('deployments.rotate.title')}
          okText={t('deployments.rotate.button')}
          confirmLoading={rotation.isPending}
          onOk={() => onRotate(overlap)}
          onCancel={end}
        >
          <div className="stack">
            <p className="quiet">{what}</p>
            <ProblemAlert error={rotation.error} />
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
        </Dialog>
      )}
      {isOpen && data !== undefined && (
        <ShownOnceModal
          width={760}
          title={t('deployments.rotate.done')}
          okText={t('deployments.tokenKept')}
          onEnd={end}
        >
          <p>
            {t('deployments.rotate.formerUntil')} <Instant at={data.former_valid_until} />
          </p>
          {panel(data)}
        </ShownOnceModal>
      )}
    </>
  );
}
