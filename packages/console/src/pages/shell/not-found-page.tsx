import { useNavigate } from '@tanstack/react-router';
import { Button, Result } from 'antd';
import { useTranslation } from 'react-i18next';

export function NotFoundPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Result
      status="404"
      title={t('shell.notFound')}
      subTitle={t('shell.notFoundLead')}
      extra={
        <Button type="primary" onClick={() => void navigate({ to: '/' })}>
          {t('shell.toStart')}
        </Button>
      }
    />
  );
}
