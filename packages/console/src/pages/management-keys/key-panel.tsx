import { useTranslation } from 'react-i18next';
import { TokenOnce } from '../../parts/dialogs/token-once.tsx';
import { keyCommands } from './key-commands.ts';

export function KeyPanel({
  token,
  organizationId,
}: {
  readonly token: string;
  readonly organizationId?: string | undefined;
}) {
  const { t } = useTranslation();
  const { keepHeader, curl, keepKey, waxwing } = keyCommands(token, location.origin, organizationId);
  const keep = t('managementKeys.keep');
  return (
    <TokenOnce
      token={token}
      title={t('managementKeys.token')}
      uses={[
        {
          key: 'curl',
          label: 'curl',
          commands: [
            { lead: keep, text: keepHeader, wrapped: true },
            { lead: t('managementKeys.tryCurl'), text: curl, wrapped: true },
          ],
        },
        {
          key: 'waxwing',
          label: 'waxwing',
          commands: [
            { lead: keep, text: keepKey, wrapped: true },
            { lead: t('managementKeys.tryWaxwing'), text: waxwing, wrapped: true },
          ],
        },
      ]}
    />
  );
}
