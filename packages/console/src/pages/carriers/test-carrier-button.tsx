import { ExperimentOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TestCarrierModal, type TestedThing } from './test-carrier-modal.tsx';

interface TestCarrierButtonProps {
  readonly carrier: TestedThing;
  readonly size?: 'small';
}

export function TestCarrierButton({ carrier, size }: TestCarrierButtonProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        {...(size !== undefined && { size })}
        icon={<ExperimentOutlined />}
        aria-label={t('carriers.test.named', { name: carrier.name })}
        onClick={() => setOpen(true)}
      >
        {t('carriers.test.button')}
      </Button>
      {isOpen && <TestCarrierModal carrier={carrier} onEnd={() => setOpen(false)} />}
    </>
  );
}
