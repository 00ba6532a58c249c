import { createOperator } from '@waxwing/contract/management-api/instance-account-operations.ts';
import { Form, Input, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { OneTimeLink } from '../../parts/one-time-link.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ShownOnceModal } from '../../parts/shown-once-modal.tsx';

/** Lets somebody run the instance: the link is shown once, and whoever makes it hands it over. */
export function CreateOperatorModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ email: string }>();
  const creating = useChange(createOperator);
  const { data } = creating;
  if (data !== undefined) {
    return (
      <ShownOnceModal
        title={t('instanceAccounts.created', { email: data.email })}
        okText={t('members.linkKept')}
        onEnd={onEnd}
      >
        <OneTimeLink link={data.link} expiresAt={data.expires_at} warning={t('instanceAccounts.linkOnce')} />
      </ShownOnceModal>
    );
  }
  return (
    <Modal
      open
      width={440}
      title={t('instanceAccounts.create')}
      okText={t('members.inviteSubmit')}
      confirmLoading={creating.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p className="quiet">{t('instanceAccounts.createLead')}</p>
        {creating.error !== null && <ProblemAlert error={creating.error} />}
        <Form
          form={form}
          name="create-operator"
          layout="vertical"
          requiredMark={false}
          onFinish={({ email }) => creating.mutate({ body: { email: email.trim() } })}
        >
          <Form.Item
            name="email"
            label={t('signIn.email')}
            rules={[{ required: true, type: 'email', message: t('members.emailNeeded') }]}
          >
            <Input autoFocus type="email" maxLength={254} autoComplete="off" />
          </Form.Item>
        </Form>
      </div>
    </Modal>
  );
}
