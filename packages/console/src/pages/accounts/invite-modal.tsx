import { type Role, roles } from '@waxwing/contract/management-api/action-roles.ts';
import { createInvitation } from '@waxwing/contract/management-api/member-operations.ts';
import { Form, Input, Modal, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { OneTimeLink } from '../../parts/one-time-link.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ShownOnceModal } from '../../parts/shown-once-modal.tsx';

/** Invites somebody: the link is shown once, and whoever invites hands it over. */
export function InviteModal({
  organizationId,
  onEnd,
}: {
  readonly organizationId: string;
  readonly onEnd: () => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ email: string; role: Role }>();
  const inviting = useChange(createInvitation);
  const { data } = inviting;
  if (data !== undefined) {
    return (
      <ShownOnceModal title={t('members.invited', { email: data.email })} okText={t('members.linkKept')} onEnd={onEnd}>
        <OneTimeLink link={data.link} expiresAt={data.expires_at} warning={t('members.linkOnce')} />
      </ShownOnceModal>
    );
  }
  return (
    <Modal
      open
      width={440}
      title={t('members.invite')}
      okText={t('members.inviteSubmit')}
      confirmLoading={inviting.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p className="quiet">{t('members.inviteLead')}</p>
        {inviting.error !== null && <ProblemAlert error={inviting.error} />}
        <Form
          form={form}
          layout="vertical"
          requiredMark={false}
          initialValues={{ role: 'developer' }}
          onFinish={({ email, role }) =>
            inviting.mutate({ params: { organization_id: organizationId }, body: { email: email.trim(), role } })
          }
        >
          <Form.Item
            name="email"
            label={t('signIn.email')}
            rules={[{ required: true, type: 'email', message: t('members.emailNeeded') }]}
          >
            <Input autoFocus type="email" maxLength={254} autoComplete="off" />
          </Form.Item>
          <Form.Item name="role" label={t('members.role')}>
            <Select
              options={roles.map((value) => ({
                value,
                label: (
                  <span>
                    {t(`roles.${value}`)} <span className="quiet small">{t(`roleHints.${value}`)}</span>
                  </span>
                ),
              }))}
            />
          </Form.Item>
        </Form>
      </div>
    </Modal>
  );
}
