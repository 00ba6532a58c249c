import { DeleteOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import type { Confirmed } from '../../parts/dialogs/confirm-dialog.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { EmptyState, NoneFound } from '../../parts/tables/empty-state.tsx';
import { ExportCsv, type ExportCsvProps } from '../../parts/tables/export-csv.tsx';
import { type ItemPages, ItemTable } from '../../parts/tables/item-table.tsx';
import { defined } from '../../parts/tables/list-filters.ts';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { AddEntryButton } from './add-entry-button.tsx';
import type { NumberFilter } from './number-filter.ts';

/** Makes a change take a number or word as its input. */
export function ofEntry<Input>(change: Confirmed<Input>, inputOf: (entry: string) => Input): Confirmed<string> {
  const { error, isPending, reset, mutate } = change;
  return { error, isPending, reset, mutate: (entry, options) => mutate(inputOf(entry), options) };
}

interface BlockedEntriesProps<Item> {
  readonly kind: 'numbers' | 'words';
  readonly pages: ItemPages<Item> & ExportCsvProps<Item>['pages'];
  readonly entryOf: (item: Item) => string;
  /** Left out where nothing is searched. */
  readonly filter?: NumberFilter;
  readonly onFilter?: (filter: NumberFilter) => void;
  /** False for people who may not. */
  readonly adding?: Confirmed<string> | false;
  readonly removing?: Confirmed<string> | false;
}

/** A list of blocked numbers or words. */
export function BlockedEntries<Item extends { readonly created_at: string }>(props: BlockedEntriesProps<Item>) {
  const { kind, pages, entryOf, filter, onFilter, adding, removing } = props;
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
    width: 130,
    cell: (item: Item) =>
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
            label={t('messaging.replies.search')}
            value={filter?.search}
            onSearch={(search) => onFilter(defined({ search }))}
          />
        )}
        <span className="grow" />
        <ExportCsv<Item>
          fileName={`blocked-${kind}`}
          pages={pages}
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
          { title: column, cell: (item) => <span className="figures break-anywhere">{entryOf(item)}</span> },
          { title: t('messaging.blocked.since'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
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
