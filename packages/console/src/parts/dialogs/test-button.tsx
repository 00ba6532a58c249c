import { ExperimentOutlined } from '@ant-design/icons';
import { Button, Skeleton } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemAlert } from '../text/problem-alert.tsx';
import { Dialog } from './dialog.tsx';

interface TestButtonProps {
  /** In a row of a table. */
  readonly label: string;
  /** With the name of the row: the title of the dialog, and the name of the button for screen readers. */
  readonly title: string;
  /** What the test does. */
  readonly lead: string;
  readonly testing: { readonly error: unknown; readonly isPending: boolean };
  readonly run: () => void;
  /** The outcome. */
  readonly children: ReactNode;
}

/** A button that runs a test at once, and a dialog that shows the outcome and can run the test again. */
export function TestButton({ label, title, lead, testing, run, children }: TestButtonProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { error, isPending } = testing;
  return (
    <>
      <Button
        size="small"
        icon={<ExperimentOutlined />}
        aria-label={title}
        onClick={() => {
          setOpen(true);
          run();
        }}
      >
        {label}
      </Button>
      {isOpen && (
        <Dialog
          width={560}
          title={title}
          okText={t('push.try.again')}
          cancelText={t('common.close')}
          confirmLoading={isPending}
          onOk={run}
          onCancel={() => setOpen(false)}
        >
          <div className="stack" aria-live="polite">
            <p className="quiet">{lead}</p>
            <ProblemAlert error={error} />
            {isPending && <Skeleton active />}
            {children}
          </div>
        </Dialog>
      )}
    </>
  );
}
