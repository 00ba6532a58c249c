import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { listMasterKeys, showInstance } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { wholeList } from '../../parts/tables/whole-list.ts';
import { Fact } from '../../parts/text/fact.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { useCarrierNames } from '../carriers/use-carrier-names.ts';
import { BoundedCount } from './bounded-count.tsx';
import { DoctorPanel } from './doctor-panel.tsx';
import { formatBytes } from './format-bytes.ts';
import { instanceRefreshMs } from './instance-refresh.ts';
import { workerName } from './worker-name.ts';

type Instance = AnswerOf<typeof showInstance>;
type Node = Instance['nodes'][number];
type Worker = Instance['workers'][number];
type MasterKey = ItemOf<typeof listMasterKeys>;

/** The state of the instance: nodes, waiting work, workers, keys, and the doctor's findings. */
export function InstancePage() {
  const { t } = useTranslation();
  const instance = useAnswer(showInstance, {}, { refetchInterval: instanceRefreshMs });
  if (instance.data === undefined) return <Unread of={instance} />;
  const { version, node_id, modules, database, nodes, workers, backlog, rates } = instance.data;
  const perMinute = (rate: number) => rate.toLocaleString('en', { maximumFractionDigits: 1 });
  return (
    <>
      <PageHead title={t('instanceHealth.title')} lead={t('instanceHealth.lead')} />
      <div className="stack">
        <ProblemAlert error={instance.error} />
        <section className="tiles" aria-label={t('instanceHealth.figures')}>
          <Tile name={t('instanceHealth.waitingPushes')}>
            <BoundedCount count={backlog.waiting_pushes} />
          </Tile>
          <Tile name={t('instanceHealth.waitingParts')}>
            <BoundedCount count={backlog.waiting_parts} />
          </Tile>
          <Tile name={t('instanceHealth.openMessages')}>
            <BoundedCount count={backlog.open_messages} />
          </Tile>
          <Tile name={t('instanceHealth.messagesPerMinute')}>{perMinute(rates.messages_per_minute)}</Tile>
          <Tile name={t('instanceHealth.retrievalsPerMinute')}>{perMinute(rates.retrievals_per_minute)}</Tile>
          <Tile name={t('instanceHealth.attemptsPerMinute')}>{perMinute(rates.push_attempts_per_minute)}</Tile>
          <Tile name={t('instanceHealth.deliveredPerMinute')}>{perMinute(rates.pushes_delivered_per_minute)}</Tile>
        </section>
        <section className="panel" aria-label={t('certificates.facts')}>
          <dl className="facts">
            <Fact name={t('instanceHealth.version')}>{version}</Fact>
            <Fact name={t('instanceHealth.modules')}>{modules.join(', ')}</Fact>
            <Fact name={t('instanceHealth.database')}>
              {t(`instanceHealth.databases.${database.kind}`)}
              <span className="quiet figures"> · {t('instanceHealth.schema', { number: database.schema })}</span>
            </Fact>
            <Fact name={t('instanceHealth.size')}>
              {database.bytes === null ? '–' : <span className="figures">{formatBytes(database.bytes)}</span>}
            </Fact>
            <Fact name={t('instanceHealth.answering')}>
              <span className="mono">{node_id}</span>
            </Fact>
          </dl>
        </section>
        <DoctorPanel />
        <Nodes nodes={nodes} instance={instance} />
        <Workers workers={workers} instance={instance} />
        <MasterKeys />
      </div>
    </>
  );
}

function Tile({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="tile">
      <span className="quiet small">{name}</span>
      <strong className="figures">{children}</strong>
    </div>
  );
}

type Answered = Parameters<typeof wholeList>[1];

function Nodes({ nodes, instance }: { readonly nodes: readonly Node[]; readonly instance: Answered }) {
  const { t } = useTranslation();
  const nameOf = useCarrierNames();
  const columns: Column<Node>[] = [
    {
      title: t('instanceHealth.node'),
      cell: ({ id, version }) => (
        <div>
          <div className="mono break-anywhere">{id}</div>
          <div className="quiet small">{version}</div>
        </div>
      ),
    },
    {
      title: t('common.state'),
      width: 110,
      cell: ({ alive }) => (
        <Mark tone={alive ? 'good' : 'bad'}>{t(alive ? 'instanceHealth.alive' : 'instanceHealth.silent')}</Mark>
      ),
    },
    { title: t('instanceHealth.started'), width: 205, cell: ({ started_at }) => <Instant at={started_at} /> },
    { title: t('instanceHealth.seen'), width: 205, cell: ({ seen_at }) => <Instant at={seen_at} /> },
    {
      title: t('instanceHealth.shards'),
      width: 110,
      align: 'right',
      cell: ({ push_shards }) => <span className="figures">{push_shards}</span>,
    },
    {
      title: t('menu.carriers'),
      width: 150,
      cell: ({ carriers }) => <span className="break-anywhere">{carriers.map(nameOf).join(', ') || '–'}</span>,
    },
  ];
  return (
    <div>
      <h2 className="panel-title">{t('instanceHealth.nodes')}</h2>
      <ItemTable<Node>
        label={t('instanceHealth.nodes')}
        pages={wholeList(nodes, instance)}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={980}
        empty={null}
      />
    </div>
  );
}

function Workers({ workers, instance }: { readonly workers: readonly Worker[]; readonly instance: Answered }) {
  const { t, i18n } = useTranslation();
  const nameOf = useCarrierNames();
  const columns: Column<Worker>[] = [
    {
      title: t('instanceHealth.worker'),
      cell: ({ name }) => <span title={name}>{workerName(i18n, name, nameOf)}</span>,
    },
    {
      title: t('common.state'),
      width: 180,
      cell: ({ state }) => <Mark tone={state === 'running' ? 'good' : 'soon'}>{workerState(state)}</Mark>,
    },
    {
      title: t('instanceHealth.faults'),
      width: 90,
      align: 'right',
      cell: ({ faults }) => <span className="figures">{faults}</span>,
    },
    {
      title: t('instanceHealth.lastFault'),
      cell: ({ last_fault }) => <span className="break-anywhere">{last_fault ?? '–'}</span>,
    },
  ];
  function workerState(state: string): string {
    if (state === 'running') return t('instanceHealth.workerStates.running');
    if (state === 'waiting to restart') return t('instanceHealth.workerStates.waiting');
    return state === 'stopped' ? t('instanceHealth.workerStates.stopped') : state;
  }
  return (
    <div>
      <h2 className="panel-title">{t('instanceHealth.workers')}</h2>
      <ItemTable<Worker>
        label={t('instanceHealth.workers')}
        pages={wholeList(workers, instance)}
        columns={columns}
        rowKey={({ name }) => name}
        minWidth={680}
        empty={null}
      />
    </div>
  );
}

function MasterKeys() {
  const { t } = useTranslation();
  const pages = usePages(listMasterKeys, {}, { refetchInterval: instanceRefreshMs });
  const columns: Column<MasterKey>[] = [
    {
      title: t('instanceHealth.masterKey'),
      cell: ({ id, current }) => (
        <span className="row">
          <span className="mono">{id}</span>
          {current && <Mark tone="good">{t('instanceHealth.sealing')}</Mark>}
        </span>
      ),
    },
    { title: t('common.created'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      title: t('instanceHealth.heldBy'),
      cell: ({ held_by }) => <span className="mono break-anywhere">{held_by.join(', ') || '–'}</span>,
    },
  ];
  return (
    <div>
      <h2 className="panel-title">{t('instanceHealth.masterKeys')}</h2>
      <ItemTable<MasterKey>
        label={t('instanceHealth.masterKeys')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={680}
        empty={null}
      />
    </div>
  );
}
