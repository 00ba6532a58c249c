import { StopOutlined } from '@ant-design/icons';
import { revokeCertificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import { Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

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
  const [isOpen, setOpen] = useState(false);
  const revoking = useChange(revokeCertificate, ['deployments']);
  const params = { organization_id: organizationId, certificate_id: certificateId };
  const end = () => {
    setOpen(false);
    revoking.reset();
  };
  return (
    <>
      <Button
        danger
        size={version === undefined ? 'middle' : 'small'}
        icon={<StopOutlined />}
        onClick={() => setOpen(true)}
      >
        {t('certificates.revoke.button')}
      </Button>
      {isOpen && (
        <Modal
          open
          width={460}
          title={
            version === undefined
              ? t('certificates.revoke.title', { name })
              : t('certificates.revoke.versionTitle', { name, number: version.number })
          }
          okText={t('certificates.revoke.button')}
          okButtonProps={{ danger: true }}
          confirmLoading={revoking.isPending}
          onOk={() =>
            revoking.mutate({ params, body: version === undefined ? {} : { version: version.id } }, { onSuccess: end })
          }
          onCancel={end}
        >
          <div className="stack">
            <p>{t('certificates.revoke.what')}</p>
            {revoking.error !== null && <ProblemAlert error={revoking.error} />}
          </div>
        </Modal>
      )}
    </>
  );
}
