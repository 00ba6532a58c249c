import { DeleteOutlined } from '@ant-design/icons';
import { blockedNumbers, blockedWords } from '@waxwing/contract/management-api/messaging-list-operations.ts';
import type { TableColumnType } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton, type Confirmed } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { NoneFound } from '../../parts/none-found.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { AddEntryButton } from './add-entry-button.tsx';
import { type NumberFilter, numberQuery } from './number-filter.ts';

export interface BlockedNumbersProps {
  readonly organizationId: string;
  readonly filter: NumberFilter;
  readonly onFilter: (filter: NumberFilter) => void;
}

export function BlockedNumbers({ organizationId, filter, onFilter }: BlockedNumbersProps) {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const input = { params, query: numberQuery(filter) };
  const pages = usePages(blockedNumbers.list, input);
  const adding = useChange(blockedNumbers.add);
  const removing = useChange(blockedNumbers.remove);
  const addButton = may(blockedNumbers.add) && (
    <AddEntryButton
      label={t('messaging.blocked.addNumber')}
      title={t('messaging.blocked.addNumber')}
      field={t('messaging.number')}
      hint={t('messaging.numberHint')}
      placeholder="+8613800138000"
      submit={t('messaging.blocked.addSubmit')}
      maxLength={32}
      adding={adding}
      onAdd={(number, done) => adding.mutate({ params, body: { number } }, { onSuccess: done })}
    />
  );
  const columns = useEntryColumns({
    title: t('messaging.number'),
    mayRemove: may(blockedNumbers.remove),
    what: t('messaging.blocked.removeNumberWhat'),
    removing,
    inputOf: (number) => ({ params, body: { number } }),
  });
  return (
    <div className="stack tight">
      <search className="filters">
        <SearchField
          label={t('messaging.blocked.search')}
          value={filter.search ?? ''}
          onSearch={(search) => onFilter(search === '' ? {} : { search })}
        />
        <span className="grow" />
        <ExportCsv<Entry>
          fileName="blocked-numbers"
          items={() => entriesOf(everyItem(api, blockedNumbers.list, input), ({ number }) => number)}
          columns={[
            [t('messaging.number'), ({ entry }) => entry],
            [t('messaging.blocked.columns.since'), ({ created_at }) => created_at],
          ]}
        />
        {addButton}
      </search>
      <ItemTable<Entry>
        label={t('messaging.blocked.tabs.numbers')}
        pages={{ ...pages, items: pages.items?.map(({ number, created_at }) => ({ entry: number, created_at })) }}
        columns={columns}
        rowKey={({ entry }) => entry}
        minWidth={480}
        empty={
          filter.search === undefined ? (
            <EmptyState title={t('messaging.blocked.noNumber')} action={addButton} />
          ) : (
            <NoneFound title={t('messaging.blocked.noNumberFound')} onClear={() => onFilter({})} />
          )
        }
      />
    </div>
  );
}

export function BlockedWords({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const pages = usePages(blockedWords.list, { params });
  const adding = useChange(blockedWords.add);
  const removing = useChange(blockedWords.remove);
  const addButton = may(blockedWords.add) && (
    <AddEntryButton
      label={t('messaging.blocked.addWord')}
      title={t('messaging.blocked.addWord')}
      field={t('messaging.blocked.columns.word')}
      hint={t('messaging.blocked.wordHint')}
      submit={t('messaging.blocked.addSubmit')}
      maxLength={100}
      adding={adding}
      onAdd={(word, done) => adding.mutate({ params, body: { word } }, { onSuccess: done })}
    />
  );
  const columns = useEntryColumns({
    title: t('messaging.blocked.columns.word'),
    mayRemove: may(blockedWords.remove),
    what: t('messaging.blocked.removeWordWhat'),
    removing,
    inputOf: (word) => ({ params, body: { word } }),
  });
  return (
    <div className="stack tight">
      <div className="filters">
        <span className="grow" />
        <ExportCsv<Entry>
          fileName="blocked-words"
          items={() => entriesOf(everyItem(api, blockedWords.list, { params }), ({ word }) => word)}
          columns={[
            [t('messaging.blocked.columns.word'), ({ entry }) => entry],
            [t('messaging.blocked.columns.since'), ({ created_at }) => created_at],
          ]}
        />
        {addButton}
      </div>
      <ItemTable<Entry>
        label={t('messaging.blocked.tabs.words')}
        pages={{ ...pages, items: pages.items?.map(({ word, created_at }) => ({ entry: word, created_at })) }}
        columns={columns}
        rowKey={({ entry }) => entry}
        minWidth={480}
        empty={<EmptyState title={t('messaging.blocked.noWord')} action={addButton} />}
      />
    </div>
  );
}

/** A number or a word. */
interface Entry {
  readonly entry: string;
  readonly created_at: string;
}

interface EntryColumns<Input> {
  readonly title: string;
  readonly mayRemove: boolean;
  /** What removing an entry means. */
  readonly what: string;
  readonly removing: Confirmed<Input>;
  readonly inputOf: (entry: string) => Input;
}

function useEntryColumns<Input>(given: EntryColumns<Input>): TableColumnType<Entry>[] {
  const { title, mayRemove, what, removing, inputOf } = given;
  const { t } = useTranslation();
  const button = (entry: string): ReactNode => (
    <ConfirmButton
      danger
      size="small"
      icon={<DeleteOutlined />}
      text={t('messaging.blocked.remove')}
      label={t('messaging.blocked.removeNamed', { name: entry })}
      title={t('messaging.blocked.removeTitle', { name: entry })}
      what={what}
      change={removing}
      input={inputOf(entry)}
    />
  );
  const actions = { title: t('common.actions'), key: 'actions', width: 130 };
  return [
    { title, key: 'entry', render: (_value, { entry }) => <span className="figures break-anywhere">{entry}</span> },
    {
      title: t('messaging.blocked.columns.since'),
      key: 'since',
      width: 180,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    ...(mayRemove ? [{ ...actions, render: (_value: unknown, { entry }: Entry) => button(entry) }] : []),
  ];
}

async function* entriesOf<Item extends { readonly created_at: string }>(
  items: AsyncIterable<Item>,
  entryOf: (item: Item) => string,
): AsyncGenerator<Entry> {
  for await (const item of items) yield { entry: entryOf(item), created_at: item.created_at };
}
