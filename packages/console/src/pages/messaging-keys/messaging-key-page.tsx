import { DeleteOutlined, EditOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  deleteMessagingKey,
  rotateMessagingKey,
  showMessagingKey,
  updateMessagingKey,
} from '@waxwing/contract/management-api/messaging-key-operations.ts';
import { Button, Skeleton } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, useTagged } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { AccessMarks } from '../../parts/access-marks.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { RotateTokenButton } from '../../parts/rotate-token-button.tsx';
import { SwitchRow } from '../../parts/switch-row.tsx';
import { TokenList } from '../../parts/token-list.tsx';
import { EditMessagingKeyModal } from './edit-messaging-key-modal.tsx';
import { MessagingTokenPanel } from './messaging-token-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/messaging-keys/$messagingKeyId');

const switches = ['enabled', 'permitted', 'query_token'] as const;

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

  if (key.error !== null && key.data === undefined) {
    return <ProblemAlert error={key.error} onRetry={() => void key.refetch()} />;
  }
  if (key.data === undefined) return <Skeleton active />;
  const { value, etag } = key.data;
  const mayUpdate = may(updateMessagingKey);
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
                text={t('messaging.keys.delete.button')}
                title={t('messaging.keys.delete.title', { name: value.name })}
                what={t('messaging.keys.delete.what')}
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
        <section className="panel" aria-label={t('messaging.keys.tokens')}>
          <dl className="facts">
            <div>
              <dt>{t('messaging.keys.tokens')}</dt>
              <dd>
                <TokenList tokens={value.tokens} />
              </dd>
            </div>
            <div>
              <dt>{t('messaging.keys.expires')}</dt>
              <dd>
                {value.expires_at === null ? t('messaging.keys.expiresNever') : <Instant at={value.expires_at} />}
              </dd>
            </div>
            <div>
              <dt>{t('messaging.keys.columns.created')}</dt>
              <dd>
                <Instant at={value.created_at} />
              </dd>
            </div>
          </dl>
        </section>
        <section className="panel" aria-labelledby="messaging-key-settings">
          <div className="row" style={{ marginBlockEnd: 8 }}>
            <h2 id="messaging-key-settings" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
              {t('messaging.keys.settings')}
            </h2>
            {mayUpdate && (
              <Button size="small" icon={<EditOutlined />} onClick={() => setEditing(true)}>
                {t('messaging.keys.edit')}
              </Button>
            )}
          </div>
          {updating.error !== null && <ProblemAlert error={updating.error} />}
          {switches.map((name) => (
            <SwitchRow
              key={name}
              label={t(`messaging.keys.switches.${name}`)}
              hint={t(`messaging.keys.switchHints.${name}`)}
              isOn={value[name]}
              mayChange={mayUpdate}
              isPending={updating.isPending && updating.variables?.body?.[name] !== undefined}
              onChange={(isOn) => updating.mutate({ params, body: { [name]: isOn }, ifMatch: etag })}
            />
          ))}
          <div className="settings-row">
            <div>
              <div>{t('deployments.allowList')}</div>
              <div className={value.allow.length === 0 ? 'quiet small' : 'mono small break-anywhere'}>
                {value.allow.join(', ') || t('messaging.keys.emptyAllowList')}
              </div>
            </div>
          </div>
        </section>
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
