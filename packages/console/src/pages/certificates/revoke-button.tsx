import { StopOutlined } from '@ant-design/icons';
import { revokeCertificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';

export interface RevokeButtonProps {
  readonly organizationId: string;
  readonly certificateId: string;
  readonly name: string;
  /** One version of it; all of it when left out. */
  readonly version?: { readonly id: string; readonly number: number };
}

/** Ends the hand-out of a certificate or of one version, after a question: it is final. */
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
