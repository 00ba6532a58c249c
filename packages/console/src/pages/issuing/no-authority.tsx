import { createAuthority } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/use-me.ts';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { Panel } from '../../parts/text/panel.tsx';

const command = 'waxwing authority create --name letsencrypt --preset letsencrypt --email ops@example.com';

/** In place of the form while there is nobody to request from: who changes that, and how. */
export function NoAuthority() {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <Panel title={t('issuing.noAuthority.title')}>
      <p>{may(createAuthority) ? t('issuing.noAuthority.operator') : t('issuing.noAuthority.others')}</p>
      <CopyBlock text={command} label={t('issuing.noAuthority.command')} />
      <p className="quiet">{t('issuing.noAuthority.how')}</p>
    </Panel>
  );
}
