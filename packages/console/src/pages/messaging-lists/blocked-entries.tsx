import { DeleteOutlined } from '@ant-design/icons';
import { Tabs } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import type { Confirmed } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { type ItemPages, ItemTable } from '../../parts/item-table.tsx';
import { NoneFound } from '../../parts/none-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { AddEntryButton } from './add-entry-button.tsx';
import type { BlockedFilter, NumberFilter } from './number-filter.ts';

/** A change, as `useChange` gives it, whose input is made of the number or word. */
export function ofEntry<Input>(change: Confirmed<Input>, inputOf: (entry: string) => Input): Confirmed<string> {
  const { error, isPending, reset, mutate } = change;
  return { error, isPending, reset, mutate: (entry, options) => mutate(inputOf(entry), options) };
}

export interface BlockedTabsProps {
  readonly title: string;
  readonly lead: string;
  readonly tab: BlockedFilter['tab'];
  readonly numbers: ReactNode;
  readonly words: ReactNode;
  readonly onShow: (filter: BlockedFilter) => void;
}

/** The two blocked lists of an organization, or of the instance. */
export function BlockedTabs({ title, lead, tab = 'numbers', numbers, words, onShow }: BlockedTabsProps) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={title} lead={lead} />
      <Tabs
        activeKey={tab}
        onChange={(key) => onShow(key === 'words' ? { tab: 'words' } : {})}
        items={[
          { key: 'numbers', label: t('messaging.blocked.tabs.numbers'), children: numbers },
          { key: 'words', label: t('messaging.blocked.tabs.words'), children: words },
        ]}
      />
    </>
  );
}

export interface BlockedEntriesProps<Item> {
  readonly kind: 'numbers' | 'words';
  readonly pages: ItemPages<Item>;
  /** All of them that fit the filter. */
  readonly all: (signal: AbortSignal) => AsyncIterable<Item>;
  /** The number or word. */
  readonly entryOf: (item: Item) => string;
  /** Left out where nothing is searched. */
  readonly filter?: NumberFilter;
  readonly onFilter?: (filter: NumberFilter) => void;
  /** Left out for who may not. */
  readonly adding?: Confirmed<string> | false;
  readonly removing?: Confirmed<string> | false;
}

/** Numbers that nothing is sent to, or words that nothing is sent with. */
export function BlockedEntries<Item extends { readonly created_at: string }>(props: BlockedEntriesProps<Item>) {
  const { kind, pages, all, entryOf, filter, onFilter, adding, removing } = props;
  const { t } = useTranslation();
  const column = kind === 'numbers' ? t('messaging.number') : t('messaging.blocked.words.column');
  const addButton = adding && (
    <AddEntryButton
      label={t(`messaging.blocked.${kind}.add`)}
      title={t(`messaging.blocked.${kind}.add`)}
      field={column}
      {...(kind === 'numbers'
        ? { hint: t('messaging.numberHint'), placeholder: '+8613800138000', maxLength: 32 }
        : { hint: t('messaging.blocked.words.hint'), maxLength: 100 })}
      submit={t('messaging.blocked.addSubmit')}
      adding={adding}
      onAdd={(entry, done) => adding.mutate(entry, { onSuccess: done })}
    />
  );
  const actions = {
    title: t('common.actions'),
    key: 'actions',
    width: 130,
    render: (_value: unknown, item: Item) =>
      removing && (
        <ConfirmButton
          danger
          size="small"
          icon={<DeleteOutlined />}
          text={t('messaging.blocked.remove')}
          label={t('messaging.blocked.removeNamed', { name: entryOf(item) })}
          title={t('messaging.blocked.removeTitle', { name: entryOf(item) })}
          what={t(`messaging.blocked.${kind}.removeWhat`)}
          change={removing}
          input={entryOf(item)}
        />
      ),
  };
  return (
    <div className="stack tight">
      <search className="filters">
        {onFilter !== undefined && (
          <SearchField
            label={t('messaging.blocked.search')}
            value={filter?.search ?? ''}
            onSearch={(search) => onFilter(search === '' ? {} : { search })}
          />
        )}
        <span className="grow" />
        <ExportCsv<Item>
          fileName={`blocked-${kind}`}
          items={all}
          columns={[
            [column, entryOf],
            [t('messaging.blocked.since'), ({ created_at }) => created_at],
          ]}
        />
        {addButton}
      </search>
      <ItemTable<Item>
        label={t(`messaging.blocked.tabs.${kind}`)}
        pages={pages}
        columns={[
          {
            title: column,
            key: 'entry',
            render: (_value, item) => <span className="figures break-anywhere">{entryOf(item)}</span>,
          },
          {
            title: t('messaging.blocked.since'),
            key: 'since',
            width: 205,
            render: (_value, { created_at }) => <Instant at={created_at} />,
          },
          ...(removing ? [actions] : []),
        ]}
        rowKey={entryOf}
        minWidth={480}
        empty={
          filter?.search === undefined ? (
            <EmptyState title={t(`messaging.blocked.${kind}.none`)} action={addButton} />
          ) : (
            <NoneFound title={t('messaging.blocked.noNumberFound')} onClear={() => onFilter?.({})} />
          )
        }
      />
    </div>
  );
}
