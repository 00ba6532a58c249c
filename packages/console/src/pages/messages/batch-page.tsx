import { SendOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { sendByHand, showMessageBatch } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import type { Message } from '../../api/shown-things.ts';
import { useMay, useMe } from '../../api/use-me.ts';
import { offerDraft } from '../../parts/forms/kept-draft.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { ExportCsv } from '../../parts/tables/export-csv.tsx';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { wholeList } from '../../parts/tables/whole-list.ts';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { messageCells, useMessageColumns } from './message-columns.tsx';
import { stateOf, stateTones } from './message-marks.tsx';
import { SentWith } from './sent-with.tsx';

const route = getRouteApi('/frame/o/$organizationId/messages/$batchId');

const openRefreshMs = 3_000;
const states = ['DELIVRD', 'UNDELIV', 'REJECTED', 'sent', 'queued'] as const;

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
  if (batch.data === undefined) return <Unread of={batch} />;
  const { content, sender, accepted_at, messages, messaging_key_id } = batch.data;
  const counts = states
    .map((state) => [state, messages.filter((message) => stateOf(message) === state).length] as const)
    .filter(([, count]) => count > 0);
  const missed = messages.filter(({ status }) => status === 'UNDELIV' || status === 'REJECTED');
  /** Only fills in the form: the person checks it before sending. */
  function sendToMissed(): void {
    const values = {
      mobiles: missed.map(({ number }) => number).join('\n'),
      content,
      ...(sender !== null && { sender }),
    };
    offerDraft({ page: `/o/${organizationId}/messages/send`, personId, values });
    void navigate({ to: '/o/$organizationId/messages/send', params: { organizationId } });
  }

  return (
    <>
      <PageHead
        title={`${t('messaging.list.columns.batch')} …${batchId.slice(-8)}`}
        lead={t('messaging.batch.lead')}
        actions={
          <>
            <ExportCsv<Message>
              fileName={`batch-${batchId}`}
              pages={{ every: () => each(messages) }}
              columns={messageCells(t)}
            />
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
            <Fact name="ID">
              <CopiedText text={batchId} label="ID" />
            </Fact>
            <Fact name={t('messaging.list.columns.accepted')}>
              <Instant at={accepted_at} />
            </Fact>
            <Fact name={t('messaging.batch.key')}>
              <SentWith organizationId={organizationId} messagingKeyId={messaging_key_id} />
            </Fact>
            {sender !== null && <Fact name={t('messaging.send.sender')}>{sender}</Fact>}
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
            <div className="quiet small">{t('messaging.send.content')}</div>
            <p className="message-text">{content}</p>
          </div>
        </section>
        <ItemTable<Message>
          label={t('menu.messages')}
          pages={wholeList(messages, batch)}
          columns={columns}
          rowKey={({ position }) => String(position)}
          minWidth={1080}
          empty={null}
        />
      </div>
    </>
  );
}

/** Whether the message can no longer change. */
function isEnded({ status, push }: Message): boolean {
  return status !== undefined && push !== 'waiting';
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
