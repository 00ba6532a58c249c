import { Button, Grid, Table, type TableProps } from 'antd';
import { type ReactNode, startTransition, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemAlert } from '../text/problem-alert.tsx';
import type { Column } from './column.ts';
import { EmptyState } from './empty-state.tsx';
import { ItemCards } from './item-cards.tsx';

/** The part of a paged query that a table shows. */
export interface ItemPages<Item> {
  readonly items: readonly Item[] | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly isPlaceholderData: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
  readonly refetch: () => unknown;
}

export interface ItemTableProps<Item> extends Pick<TableProps<Item>, 'expandable' | 'rowClassName' | 'rowSelection'> {
  readonly label: string;
  readonly pages: ItemPages<Item>;
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  /** Shown in place of an empty list. */
  readonly empty: ReactNode;
  /** Pixels. Below this width the table scrolls sideways; on a phone its rows are cards. */
  readonly minWidth: number;
}

/** So many parts of a list without a match are searched before the person is asked. */
const partsWithoutAsking = 20;

/** About as many rows as fit on a screen. */
const rowsAtOnce = 15;

/** The first rows of a list at once and the rest after them: fifty rows take a small machine half a second to draw. */
function useRowsInTurn<Item>(items: readonly Item[] | undefined): readonly Item[] {
  const [hasBegun, setBegun] = useState(false);
  const isThere = items !== undefined;
  useEffect(() => {
    if (isThere) startTransition(() => setBegun(true));
  }, [isThere]);
  return (hasBegun ? items : items?.slice(0, rowsAtOnce)) ?? [];
}

/** Searches on: the parts of the list that the server has searched so far hold no match. */
function LookingFurther({ pages }: { readonly pages: ItemPages<object> }) {
  const { t } = useTranslation();
  const { isFetchingNextPage, fetchNextPage, error } = pages;
  const [parts, setParts] = useState(1);
  const goesOn = parts % partsWithoutAsking !== 0;
  useEffect(() => {
    if (!goesOn || isFetchingNextPage || error !== null) return;
    setParts((count) => count + 1);
    fetchNextPage();
  }, [goesOn, isFetchingNextPage, fetchNextPage, error]);
  return (
    <EmptyState
      title={t('common.nothingSoFar')}
      lead={t('common.nothingSoFarLead')}
      action={
        <Button loading={goesOn || isFetchingNextPage} onClick={() => setParts((count) => count + 1)}>
          {t('common.lookFurther')}
        </Button>
      }
    />
  );
}

/** A list of any length: its loaded part, and a button for more. */
export function ItemTable<Item extends object>(props: ItemTableProps<Item>) {
  const { t } = useTranslation();
  const { label, pages, columns, rowKey, empty, minWidth, ...more } = props;
  const { items, error } = pages;
  const section = useRef<HTMLElement>(null);
  const { md: isWide = true } = Grid.useBreakpoint();
  const loading = pages.isPending || pages.isPlaceholderData;
  const rows = useRowsInTurn(items);
  useEffect(() => {
    // An area that scrolls must be reachable by keyboard (WCAG 2.1.1), even without a focusable element in it.
    section.current?.querySelector('.ant-table-content')?.setAttribute('tabindex', '0');
  });
  if (error !== null && items === undefined) return <ProblemAlert error={error} onRetry={() => pages.refetch()} />;
  return (
    <section ref={section} aria-label={label} className="stack tight">
      <ProblemAlert error={error} onRetry={() => pages.refetch()} />
      {items?.length === 0 && pages.hasNextPage ? (
        <LookingFurther pages={pages} />
      ) : items?.length === 0 ? (
        empty
      ) : (
        <>
          {isWide ? (
            <Table<Item>
              size="middle"
              rowKey={rowKey}
              columns={columns.map(({ cell, ...column }) => ({
                ...column,
                key: column.title,
                render: (_value, item) => cell(item),
              }))}
              dataSource={rows}
              loading={loading}
              pagination={false}
              scroll={{ x: minWidth }}
              {...more}
            />
          ) : (
            <ItemCards<Item> items={rows} columns={columns} rowKey={rowKey} loading={loading} {...more} />
          )}
          <div className="table-foot">
            {items !== undefined && (
              <span className="quiet figures" role="status">
                {t(pages.hasNextPage ? 'common.shownSoFar' : 'common.shownAll', { count: items.length })}
              </span>
            )}
            {pages.hasNextPage && (
              <Button loading={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
                {t('common.loadMore')}
              </Button>
            )}
          </div>
        </>
      )}
    </section>
  );
}
