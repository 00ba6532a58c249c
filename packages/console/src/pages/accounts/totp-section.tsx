import { confirmTotp, enrolTotp, removeTotp } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { Button, Form, Input, QRCode } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

/** @param createdAt undefined: the person has none */
export function TotpSection({ createdAt }: { readonly createdAt: string | undefined }) {
  const { t } = useTranslation();
  const enrolling = useChange(enrolTotp);
  const removing = useChange(removeTotp);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Panel
      title={t('account.totp.title')}
      mark={createdAt !== undefined && <Mark tone="good">{t('account.on')}</Mark>}
      actions={
        createdAt === undefined ? (
          <Button loading={enrolling.isPending} onClick={() => enrolling.mutate({})}>
            {t('account.totp.enrol')}
          </Button>
        ) : (
          <ConfirmButton
            danger
            text={t('common.remove')}
            label={t('common.removeNamed', { name: t('account.totp.title') })}
            title={t('account.totp.removeTitle')}
            what={t('account.totp.removeWhat')}
            change={removing}
            input={{}}
          />
        )
      }
    >
      <p className="quiet">
        {createdAt === undefined ? t('account.totp.what') : t('account.since')}{' '}
        {createdAt !== undefined && <Instant at={createdAt} />}
      </p>
      <ProblemAlert error={enrolling.error} />
      {enrolling.data !== undefined && (
        <ConfirmModal
          uri={enrolling.data.uri}
          secret={enrolling.data.secret}
          onEnd={enrolling.reset}
          onConfirmed={(recovery) => {
            enrolling.reset();
            setCodes(recovery);
          }}
        />
      )}
      {codes.length > 0 && <RecoveryCodesModal codes={codes} onEnd={() => setCodes([])} />}
    </Panel>
  );
}

interface ConfirmModalProps {
  readonly uri: string;
  readonly secret: string;
  readonly onEnd: () => void;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
}

function ConfirmModal({ uri, secret, onEnd, onConfirmed }: ConfirmModalProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ code: string }>();
  const confirming = useChange(confirmTotp);
  return (
    <Dialog
      width={460}
      title={t('account.totp.title')}
      okText={t('account.totp.confirm')}
      confirmLoading={confirming.isPending}
      mask={{ closable: false }}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p>{t('account.totp.scan')}</p>
        <div style={{ display: 'grid', placeItems: 'center' }}>
          <QRCode
            aria-label={t('account.totp.scan')}
            value={uri}
            type="svg"
            size={184}
            color="#000000"
            bgColor="#ffffff"
          />
        </div>
        <div className="stack tight">
          <span className="quiet">{t('account.totp.type')}</span>
          <CopyBlock text={secret} label={t('account.totp.type')} wrapped />
        </div>
        <ProblemAlert error={confirming.error} />
        <Form
          form={form}
          layout="vertical"
          onFinish={({ code }) =>
            confirming.mutate(
              { body: { code: code.replace(/\s/g, '') } },
              { onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes) },
            )
          }
        >
          <Form.Item name="code" label={t('signIn.code')} rules={[{ required: true }]}>
            <Input autoFocus inputMode="numeric" autoComplete="one-time-code" className="mono" />
          </Form.Item>
        </Form>
      </div>
    </Dialog>
  );
}
