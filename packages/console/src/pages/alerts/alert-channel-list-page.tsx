import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { useParams } from '@tanstack/react-router';
import { Alert, App, Button, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { problemSentence } from '../../parts/text/problem-texts.ts';
import { type AlertChannel, type AlertScope, alertScope } from './alert-scope.ts';
import { CreateChannelModal } from './create-channel-modal.tsx';
import { EditChannelModal } from './edit-channel-modal.tsx';
import { sendingFailureText } from './sending-failure.ts';
import { TestChannelButton } from './test-channel-button.tsx';

/** Where alerts of an organization, or of the instance, are sent. */
export function AlertChannelListPage() {
  const { t } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const may = useMay(organizationId);
  const scope = alertScope(organizationId);
  const { operations, params } = scope;
  const pages = usePages(operations.list, { params });
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<AlertChannel>();
  const isOfInstance = organizationId === undefined;
  const withoutChannel = t(isOfInstance ? 'alertChannels.toNobody' : 'alertChannels.toOperators');
  const { items = [] } = pages;
  const isOff = items.length > 0 && !pages.hasNextPage && !items.some(({ enabled }) => enabled);
  return (
    <ListPage<AlertChannel>
      title={t('menu.alertChannels')}
      lead={t(isOfInstance ? 'alertChannels.instanceLead' : 'alertChannels.lead')}
      pages={pages}
      csv={{
        fileName: 'alert-channels',
        columns: [
          [t('common.name'), ({ name }) => name],
          [t('alertChannels.kind'), ({ kind }) => t(`alertChannels.kinds.${kind}`)],
          [t('alertChannels.columns.to'), destinationOf],
          [t('common.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
          [t('alertChannels.columns.sent'), ({ last_sent_at }) => last_sent_at],
          [t('alertChannels.columns.error'), ({ last_error }) => last_error],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={
        may(operations.create) && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
            {t('alertChannels.create')}
          </Button>
        )
      }
      above={isOff && <Alert type={isOfInstance ? 'warning' : 'info'} showIcon title={withoutChannel} />}
      columns={useColumns(scope, setEdited)}
      rowKey={({ id }) => id}
      minWidth={1080}
      none={{ title: t('alertChannels.none'), lead: withoutChannel }}
    >
      {isCreating && <CreateChannelModal scope={scope} onEnd={() => setCreating(false)} />}
      {edited !== undefined && <EditChannelModal scope={scope} channel={edited} onEnd={() => setEdited(undefined)} />}
    </ListPage>
  );
}

const destinationOf = ({ host, to }: AlertChannel): string => host ?? to.join(', ');

function useColumns(scope: AlertScope, onEdit: (channel: AlertChannel) => void): Column<AlertChannel>[] {
  const { t } = useTranslation();
  const may = useMay(scope.organizationId);
  const { operations, params } = scope;
  const deleting = useChange(operations.remove);
  const columns: Column<AlertChannel>[] = [
    {
      title: t('common.name'),
      cell: ({ name, kind }) => (
        <div>
          <div className="break-anywhere">{name}</div>
          <div className="quiet small">{t(`alertChannels.kinds.${kind}`)}</div>
        </div>
      ),
    },
    {
      title: t('alertChannels.columns.to'),
      width: 250,
      cell: (channel) => (
        <div>
          {(channel.host === null ? channel.to : [channel.host]).map((each) => (
            <div key={each} className="break-anywhere">
              {each}
            </div>
          ))}
          {channel.signed && <div className="quiet small">{t('alertChannels.signed')}</div>}
        </div>
      ),
    },
    {
      title: t('common.state'),
      width: 100,
      cell: (channel) =>
        may(operations.update) ? (
          <EnabledSwitch scope={scope} channel={channel} />
        ) : (
          <Mark tone={channel.enabled ? 'good' : 'plain'}>
            {t(channel.enabled ? 'deployments.on' : 'deployments.off')}
          </Mark>
        ),
    },
    { title: t('alertChannels.columns.last'), width: 290, cell: (channel) => <LastResult channel={channel} /> },
  ];
  if (!may(operations.update)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      width: 300,
      cell: (channel) => (
        <span className="row one-line">
          {may(operations.test) && <TestChannelButton scope={scope} channel={channel} />}
          <Button
            size="small"
            icon={<EditOutlined />}
            aria-label={t('alertChannels.edit', { name: channel.name })}
            onClick={() => onEdit(channel)}
          >
            {t('common.edit')}
          </Button>
          {may(operations.remove) && (
            <ConfirmButton
              danger
              size="small"
              icon={<DeleteOutlined />}
              text={t('common.delete')}
              label={t('common.deleteNamed', { name: channel.name })}
              title={t('common.deleteTitle', { name: channel.name })}
              what={t('alertChannels.deleteWhat')}
              change={deleting}
              input={{ params: { ...params, alert_channel_id: channel.id } }}
            />
          )}
        </span>
      ),
    },
  ];
}

interface EnabledSwitchProps {
  readonly scope: AlertScope;
  readonly channel: AlertChannel;
}

function EnabledSwitch({ scope: { operations, params }, channel: { id, name, enabled } }: EnabledSwitchProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const updating = useChange(operations.update);
  return (
    <Switch
      aria-label={t('alertChannels.enabledNamed', { name })}
      checked={enabled}
      loading={updating.isPending}
      onChange={(wanted) =>
        updating.mutate(
          // Switching on or off overrules changes that others make meanwhile.
          { params: { ...params, alert_channel_id: id }, body: { enabled: wanted }, ifMatch: '*' },
          { onError: (error) => void message.error(problemSentence(i18n, error)) },
        )
      }
    />
  );
}

function LastResult({ channel: { last_sent_at, last_error } }: { readonly channel: AlertChannel }) {
  const { t, i18n } = useTranslation();
  if (last_error === null && last_sent_at === null) return <span className="quiet">{t('alertChannels.notYet')}</span>;
  return (
    <div className="stack tight">
      {last_error !== null && (
        <div>
          <Mark tone="bad">{t('alertChannels.refused')}</Mark>{' '}
          <span className="break-anywhere small">{sendingFailureText(i18n, last_error)}</span>
        </div>
      )}
      {last_sent_at !== null && (
        <div>
          {last_error === null ? (
            <Mark tone="good">{t('alerts.states.sent')}</Mark>
          ) : (
            <span className="quiet small">{t('alertChannels.columns.sent')}</span>
          )}{' '}
          <Instant at={last_sent_at} />
        </div>
      )}
    </div>
  );
}
