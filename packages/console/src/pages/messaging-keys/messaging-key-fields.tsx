import { useTranslation } from 'react-i18next';
import { NameAndAddresses } from '../../parts/forms/name-and-addresses.tsx';

export function MessagingKeyFields({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  return (
    <NameAndAddresses
      organizationId={organizationId}
      nameHint={t('messaging.keys.nameHint')}
      namePlaceholder="shop-01"
      allowHint={t('messaging.keys.allowHint')}
      warnings={{ empty: t('messaging.keys.emptyAllowList'), open: t('messaging.keys.openAllowList') }}
    />
  );
}
