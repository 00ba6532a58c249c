import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { createMessagingKey } from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { onlyWhoMay } from '../../parts/dialogs/only-who-may.tsx';
import { LeaveGuard } from '../../parts/forms/leave-guard.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { MessagingKeyFields } from './messaging-key-fields.tsx';
import { MessagingTokenPanel } from './messaging-token-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/messaging-keys/new');

/** Creates a messaging key, then shows its token once. */
export const CreateMessagingKeyPage = onlyWhoMay(createMessagingKey, CreateMessagingKeyForm);

function CreateMessagingKeyForm() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { organizationId } = route.useParams();
  const creating = useChange(createMessagingKey);

  if (creating.data !== undefined) {
    const { id, name, token } = creating.data;
    return (
      <>
        <PageHead title={t('deployments.created', { name })} lead={t('messaging.keys.createdLead')} />
        <div className="panel stack narrow">
          <MessagingTokenPanel token={token} />
          <LeaveGuard />
          <div className="row end">
            <Button
              type="primary"
              onClick={() =>
                void navigate({
                  to: '/o/$organizationId/messaging-keys/$messagingKeyId',
                  params: { organizationId, messagingKeyId: id },
                  ignoreBlocker: true,
                })
              }
            >
              {t('deployments.tokenKept')}
            </Button>
          </div>
        </div>
      </>
    );
  }

  return (
    <>
      <PageHead title={t('messaging.keys.create')} lead={t('messaging.keys.createLead')} />
      <Form
        layout="vertical"
        className="panel narrow"
        initialValues={{ allow: [] }}
        onFinish={({ name, allow }: { name: string; allow: string[] }) =>
          creating.mutate({ params: { organization_id: organizationId }, body: { name: name.trim(), allow } })
        }
      >
        <div className="stack">
          <ProblemAlert error={creating.error} />
          <MessagingKeyFields organizationId={organizationId} />
          <div className="row end">
            <Button
              onClick={() => void navigate({ to: '/o/$organizationId/messaging-keys', params: { organizationId } })}
            >
              {t('common.cancel')}
            </Button>
            <Button type="primary" htmlType="submit" loading={creating.isPending}>
              {t('deployments.createSubmit')}
            </Button>
          </div>
        </div>
      </Form>
    </>
  );
}
