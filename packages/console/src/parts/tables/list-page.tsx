import type { ReactNode } from 'react';
import { PageHead } from '../text/page-head.tsx';
import { EmptyState, type EmptyStateProps, NoneFound } from './empty-state.tsx';
import { ExportCsv, type ExportCsvProps } from './export-csv.tsx';
import { ItemTable, type ItemTableProps } from './item-table.tsx';

interface ListPageProps<Item> extends Omit<ItemTableProps<Item>, 'label' | 'empty'> {
  readonly title: string;
  readonly lead: string;
  /** The name of the table; the title when left out. */
  readonly label?: string;
  readonly pages: ItemTableProps<Item>['pages'] & ExportCsvProps<Item>['pages'];
  /** The export; left out: there is none. */
  readonly csv?: Omit<ExportCsvProps<Item>, 'pages'>;
  /** The button that adds to the list; in an empty list as well. */
  readonly action?: ReactNode;
  readonly filters?: ReactNode;
  /** Above and below the table. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  /** Replaces an empty list. Its button is `action` unless it names another. Left out where the list is never empty. */
  readonly none?: EmptyStateProps;
  /** Replaces a list in which nothing matches the filters. False while no filter is in use. */
  readonly noneFound?: { readonly title: string; readonly onClear: () => void } | false;
  /** The dialogs of the page. */
  readonly children?: ReactNode;
}

/** A page that consists of one list: its head with export and button, its filters, and its table. */
export function ListPage<Item extends object>(props: ListPageProps<Item>) {
  const {
    title,
    lead,
    label = title,
    csv,
    action,
    filters,
    above,
    below,
    none,
    noneFound = false,
    children,
    ...table
  } = props;
  return (
    <>
      <PageHead
        title={title}
        lead={lead}
        actions={
          <>
            {csv !== undefined && <ExportCsv<Item> {...csv} pages={table.pages} />}
            {action}
          </>
        }
      />
      {filters}
      <div className="stack">
        {above}
        <ItemTable<Item>
          {...table}
          label={label}
          empty={noneFound ? <NoneFound {...noneFound} /> : none && <EmptyState action={action} {...none} />}
        />
        {below}
      </div>
      {children}
    </>
  );
}
