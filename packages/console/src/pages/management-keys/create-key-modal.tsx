import { Form, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ShownOnceModal } from '../../parts/shown-once-modal.tsx';
import { expiryOf, KeyFields, type KeyValues } from './key-fields.tsx';
import { KeyPanel } from './key-panel.tsx';
import type { KeyScope } from './key-scope.ts';

/** Makes a management key; its token is shown once. */
export function CreateKeyModal({ scope, onEnd }: { readonly scope: KeyScope; readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<KeyValues>();
  const creating = useChange(scope.operations.create);
  const { data } = creating;
  if (data !== undefined) {
    return (
      <ShownOnceModal
        width={760}
        title={t('managementKeys.created', { name: data.name })}
        okText={t('deployments.tokenKept')}
        onEnd={onEnd}
      >
        <KeyPanel token={data.token} organizationId={scope.organizationId} />
      </ShownOnceModal>
    );
  }
  return (
    <Modal
      open
      width={620}
      title={t('managementKeys.create')}
      okText={t('managementKeys.createSubmit')}
      confirmLoading={creating.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p className="quiet">
          {t(scope.organizationId === undefined ? 'managementKeys.createInstanceLead' : 'managementKeys.createLead')}
        </p>
        {creating.error !== null && <ProblemAlert error={creating.error} />}
        <Form<KeyValues>
          form={form}
          name="create-key"
          layout="vertical"
          requiredMark={false}
          initialValues={{ role: 'viewer', allow: [], expiry: 90 }}
          onFinish={({ name, role = 'viewer', allow, expiry }) =>
            creating.mutate({
              params: scope.params,
              body: {
                name: name.trim(),
                // Keys of the instance have no other role than theirs.
                ...((scope.organizationId === undefined ? {} : { role }) as { role: typeof role }),
                allow,
                expires_at: expiryOf({ expiry }, Date.now()) ?? null,
              },
            })
          }
        >
          <KeyFields organizationId={scope.organizationId} />
        </Form>
      </div>
    </Modal>
  );
}
