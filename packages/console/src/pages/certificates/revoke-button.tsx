import { StopOutlined } from '@ant-design/icons';
import { revokeCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';

interface RevokeButtonProps {
  readonly organizationId: string;
  readonly certificateId: string;
  readonly name: string;
  /** One version; left out: the whole certificate. */
  readonly version?: { readonly id: string; readonly number: number };
}

/** Revokes a certificate or one version of it, after a confirmation. */
export function RevokeButton({ organizationId, certificateId, name, version }: RevokeButtonProps) {
  const { t } = useTranslation();
  const revoking = useChange(revokeCertificate, ['deployments']);
  const params = { organization_id: organizationId, certificate_id: certificateId };
  const title =
    version === undefined
      ? t('certificates.revoke.title', { name })
      : t('certificates.revoke.versionTitle', { name, number: version.number });
  return (
    <ConfirmButton
      danger
      size={version === undefined ? 'middle' : 'small'}
      icon={<StopOutlined />}
      text={t('certificates.revoke.button')}
      {...(version !== undefined && { label: t('certificates.revoke.versionNamed', { number: version.number }) })}
      title={title}
      what={t('certificates.revoke.what')}
      change={revoking}
      input={{ params, body: version === undefined ? {} : { version: version.id } }}
    />
  );
}
