import { Button, Grid, Table, type TableColumnType, type TableProps } from 'antd';
import { type ReactNode, startTransition, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from './empty-state.tsx';
import { ItemCards } from './item-cards.tsx';
import { ProblemAlert } from './problem-alert.tsx';

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
  readonly columns: TableColumnType<Item>[];
  readonly rowKey: (item: Item) => string;
  /** What to say, and to do next, where there is nothing. */
  readonly empty: ReactNode;
  /** Below this width the table scrolls sideways, pixels; in a window as narrow as a telephone's its rows are cards. */
  readonly minWidth: number;
}

/** So many parts of a list without anything wanted in them are gone through before somebody has to ask for more. */
const partsWithoutAsking = 20;

/** About as many rows as a screen has room for. */
const rowsAtOnce = 15;

/**
 * The first rows of a list at once, and the rest of them while those can be read and used already: fifty rows take a small
 * machine half a second to draw.
 */
function useRowsInTurn<Item>(items: readonly Item[] | undefined): readonly Item[] {
  const [hasBegun, setBegun] = useState(false);
  const isThere = items !== undefined;
  useEffect(() => {
    if (isThere) startTransition(() => setBegun(true));
  }, [isThere]);
  return (hasBegun ? items : items?.slice(0, rowsAtOnce)) ?? [];
}

/** Of a list that the server looks through part by part: nothing in the parts so far. */
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
      action={
        <Button loading={goesOn || isFetchingNextPage} onClick={() => setParts((count) => count + 1)}>
          {t('common.lookFurther')}
        </Button>
      }
    >
      {t('common.nothingSoFarLead')}
    </EmptyState>
  );
}

/** A list of any length: what was loaded, and a button for more. */
export function ItemTable<Item extends object>(props: ItemTableProps<Item>) {
  const { t } = useTranslation();
  const { label, pages, columns, rowKey, empty, minWidth, ...more } = props;
  const { items, error } = pages;
  const section = useRef<HTMLElement>(null);
  const { md: isWide = true } = Grid.useBreakpoint();
  const loading = pages.isPending || pages.isPlaceholderData;
  const rows = useRowsInTurn(items);
  useEffect(() => {
    // What scrolls sideways must be reachable by keyboard (WCAG 2.1.1), also where nothing in it takes the focus.
    section.current?.querySelector('.ant-table-content')?.setAttribute('tabindex', '0');
  });
  if (error !== null && items === undefined) return <ProblemAlert error={error} onRetry={() => pages.refetch()} />;
  return (
    <section ref={section} aria-label={label} className="stack tight">
      {error !== null && <ProblemAlert error={error} onRetry={() => pages.refetch()} />}
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
              columns={columns}
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
