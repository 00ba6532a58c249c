import { SendOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { sendByHand, showMessageBatch } from '@waxwing/contract/management-api/message-operations.ts';
import { Button, Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import type { Message } from '../../api/shown-things.ts';
import { useMay, useMe } from '../../api/use-me.ts';
import { CopiedText } from '../../parts/copied-text.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { offerDraft } from '../../parts/kept-draft.ts';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { messageCells, useMessageColumns } from './message-columns.tsx';
import { stateOf, stateTones } from './message-marks.tsx';
import { SentWith } from './sent-with.tsx';

const route = getRouteApi('/frame/o/$organizationId/messages/$batchId');

const openRefreshMs = 3_000;
const states = ['DELIVRD', 'UNDELIV', 'REJECTED', 'sent', 'queued'] as const;

/** What became of each number of one accepted request. */
export function BatchPage() {
  const { t, i18n } = useTranslation();
  const { organizationId, batchId } = route.useParams();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const { id: personId } = useMe();
  const columns = useMessageColumns(organizationId, true);
  const batch = useAnswer(
    showMessageBatch,
    { params: { organization_id: organizationId, batch_id: batchId } },
    { refetchInterval: (answer) => (answer?.messages.every(isEnded) === true ? false : openRefreshMs) },
  );
  if (batch.error !== null && batch.data === undefined) {
    return <ProblemAlert error={batch.error} onRetry={() => void batch.refetch()} />;
  }
  if (batch.data === undefined) return <Skeleton active />;
  const { content, sender, accepted_at, messages, messaging_key_id } = batch.data;
  const counts = states
    .map((state) => [state, messages.filter((message) => stateOf(message) === state).length] as const)
    .filter(([, count]) => count > 0);
  const missed = messages.filter(({ status }) => status === 'UNDELIV' || status === 'REJECTED');
  /** The form is filled in, so that somebody looks at it before anything is sent. */
  function sendToMissed(): void {
    const values = {
      mobiles: missed.map(({ number }) => number).join('\n'),
      content,
      ...(sender !== null && { sender }),
    };
    offerDraft({ page: `/o/${organizationId}/messages/send`, personId, values });
    void navigate({ to: '/o/$organizationId/messages/send', params: { organizationId } });
  }
  const pages = {
    ...batch,
    items: messages,
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: () => undefined,
  };

  return (
    <>
      <PageHead
        title={`${t('messaging.batch.title')} …${batchId.slice(-8)}`}
        lead={t('messaging.batch.lead')}
        actions={
          <>
            <ExportCsv<Message> fileName={`batch-${batchId}`} items={() => each(messages)} columns={messageCells(t)} />
            {may(sendByHand) && missed.length > 0 && (
              <Button icon={<SendOutlined />} onClick={sendToMissed}>
                {t('messaging.batch.again', { count: missed.length })}
              </Button>
            )}
          </>
        }
      />
      <div className="stack">
        <section className="panel stack">
          <dl className="facts">
            <div>
              <dt>ID</dt>
              <dd>
                <CopiedText text={batchId} label="ID" />
              </dd>
            </div>
            <div>
              <dt>{t('messaging.list.columns.accepted')}</dt>
              <dd>
                <Instant at={accepted_at} />
              </dd>
            </div>
            <div>
              <dt>{t('messaging.batch.key')}</dt>
              <dd>
                <SentWith organizationId={organizationId} messagingKeyId={messaging_key_id} />
              </dd>
            </div>
            {sender !== null && (
              <div>
                <dt>{t('messaging.batch.sender')}</dt>
                <dd>{sender}</dd>
              </div>
            )}
          </dl>
          <div>
            <div className="quiet small">{t('messaging.batch.tally')}</div>
            <div className="row marks">
              {counts.map(([state, count]) => (
                <Mark key={state} tone={stateTones[state]}>
                  {t(`messaging.states.${state}`)} {count.toLocaleString(i18n.language)}
                </Mark>
              ))}
            </div>
          </div>
          <div>
            <div className="quiet small">{t('messaging.batch.content')}</div>
            <p className="message-text">{content}</p>
          </div>
        </section>
        <ItemTable<Message>
          label={t('messaging.list.title')}
          pages={pages}
          columns={columns}
          rowKey={({ position }) => String(position)}
          minWidth={1080}
          empty={null}
        />
      </div>
    </>
  );
}

/** Nothing of it changes any more. */
function isEnded({ status, push }: Message): boolean {
  return status !== undefined && push !== 'waiting';
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
