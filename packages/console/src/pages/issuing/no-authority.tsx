import { useNavigate } from '@tanstack/react-router';
import { authorityPresetNames } from '@waxwing/contract/management-api/authority-presets.ts';
import { createAuthority } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/use-me.ts';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { Panel } from '../../parts/text/panel.tsx';

const command = 'waxwing authority create --name letsencrypt --preset letsencrypt --email ops@example.com';

/** In place of the form while there is nobody to request from: who changes that, and how. */
export function NoAuthority() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const may = useMay();
  const presets = new Intl.ListFormat(i18n.language).format(authorityPresetNames);
  return (
    <Panel title={t('issuing.noAuthority.title')}>
      <p>{may(createAuthority) ? t('issuing.noAuthority.operator') : t('issuing.noAuthority.others')}</p>
      {may(createAuthority) && (
        <div>
          <Button type="primary" onClick={() => void navigate({ to: '/instance/authorities' })}>
            {t('issuing.noAuthority.open', { page: t('menu.authorities') })}
          </Button>
        </div>
      )}
      <CopyBlock text={command} label={t('issuing.noAuthority.command')} />
      <p className="quiet">{t('issuing.noAuthority.how', { presets })}</p>
    </Panel>
  );
}
