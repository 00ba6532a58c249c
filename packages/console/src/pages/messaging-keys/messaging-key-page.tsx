import { DeleteOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  deleteMessagingKey,
  rotateMessagingKey,
  showMessagingKey,
  updateMessagingKey,
} from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, useTagged } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { RotateTokenButton } from '../../parts/dialogs/rotate-token-button.tsx';
import { TokenList } from '../../parts/dialogs/token-list.tsx';
import { AccessSettings } from '../../parts/forms/access-settings.tsx';
import { AccessMarks } from '../../parts/marks/access-marks.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { EditMessagingKeyModal } from './edit-messaging-key-modal.tsx';
import { MessagingTokenPanel } from './messaging-token-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/messaging-keys/$messagingKeyId');

export function MessagingKeyPage() {
  const { t } = useTranslation();
  const { organizationId, messagingKeyId } = route.useParams();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId, messaging_key_id: messagingKeyId };
  const key = useTagged(showMessagingKey, { params });
  const rotating = useChange(rotateMessagingKey);
  const deleting = useChange(deleteMessagingKey);
  const updating = useChange(updateMessagingKey);
  const [isEditing, setEditing] = useState(false);

  if (key.data === undefined) return <Unread of={key} />;
  const { value, etag } = key.data;
  const toList = () =>
    void navigate({ to: '/o/$organizationId/messaging-keys', params: { organizationId }, replace: true });

  return (
    <>
      <PageHead
        title={value.name}
        beside={<AccessMarks access={value} notPermitted={t('messaging.keys.notPermitted')} />}
        actions={
          <>
            {may(deleteMessagingKey) && (
              <ConfirmButton
                danger
                icon={<DeleteOutlined />}
                text={t('common.delete')}
                title={t('common.deleteTitle', { name: value.name })}
                what={t('messaging.keys.deleteWhat')}
                change={deleting}
                input={{ params }}
                onDone={toList}
              />
            )}
            {may(rotateMessagingKey) && (
              <RotateTokenButton
                rotation={rotating}
                onRotate={(overlap) => rotating.mutate({ params, body: { overlap_seconds: overlap } })}
                what={t('messaging.keys.rotateWhat')}
                panel={({ token }) => <MessagingTokenPanel token={token} />}
              />
            )}
          </>
        }
      />
      <div className="stack">
        <section className="panel" aria-label={t('deployments.tokens')}>
          <dl className="facts">
            <Fact name={t('deployments.tokens')}>
              <TokenList tokens={value.tokens} />
            </Fact>
            <Fact name={t('common.expires')}>
              {value.expires_at === null ? t('messaging.keys.expiresNever') : <Instant at={value.expires_at} />}
            </Fact>
            <Fact name={t('common.created')}>
              <Instant at={value.created_at} />
            </Fact>
          </dl>
        </section>
        <AccessSettings
          access={value}
          texts={{
            permitted: t('messaging.keys.permitted'),
            permittedHint: t('messaging.keys.permittedHint'),
            emptyAllowList: t('messaging.keys.emptyAllowList'),
          }}
          mayChange={may(updateMessagingKey)}
          updating={updating}
          onSwitch={(body) => updating.mutate({ params, body, ifMatch: etag })}
          onEdit={() => setEditing(true)}
        />
      </div>
      {isEditing && (
        <EditMessagingKeyModal
          organizationId={organizationId}
          messagingKeyId={messagingKeyId}
          onEnd={() => setEditing(false)}
        />
      )}
    </>
  );
}
