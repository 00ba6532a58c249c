import { useTranslation } from 'react-i18next';
import { NameAndAddresses } from '../../parts/forms/name-and-addresses.tsx';

export function DeploymentFields({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  return (
    <NameAndAddresses
      organizationId={organizationId}
      nameHint={t('deployments.nameHint')}
      namePlaceholder="web-01"
      allowHint={t('deployments.allowListHint')}
      warnings={{ empty: t('deployments.emptyAllowList'), open: t('deployments.openAllowList') }}
    />
  );
}
