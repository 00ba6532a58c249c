import { ExperimentOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TestProviderModal, type TestProviderProps } from './test-provider-modal.tsx';

export function TestProviderButton(props: TestProviderProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        icon={<ExperimentOutlined />}
        aria-label={t('dnsProviders.testNamed', { name: props.provider.name })}
        onClick={() => setOpen(true)}
      >
        {t('dnsProviders.test')}
      </Button>
      {isOpen && <TestProviderModal {...props} onEnd={() => setOpen(false)} />}
    </>
  );
}
