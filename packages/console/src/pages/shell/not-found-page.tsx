import { useNavigate } from '@tanstack/react-router';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';

export function NotFoundPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <div className="not-found">
      <img src="/console/mark.svg" alt="" />
      <h1>{t('shell.notFound')}</h1>
      <p className="quiet">{t('shell.notFoundLead')}</p>
      <Button type="primary" onClick={() => void navigate({ to: '/' })}>
        {t('shell.toStart')}
      </Button>
    </div>
  );
}
