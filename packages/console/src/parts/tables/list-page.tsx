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
  /** The columns of the export, and the name of its file; left out: there is none. */
  readonly csv?: ExportCsvProps<Item>['columns'];
  readonly csvName?: string;
  /** The button that adds to the list; in an empty list as well. */
  readonly action?: ReactNode;
  readonly filters?: ReactNode;
  /** Stand next to the table. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  /** In place of an empty list, with the button of the page or one of its own; left out where no list is empty. */
  readonly none?: EmptyStateProps;
  /** In place of a list in which nothing matches; false while no filter is in use. */
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
    csvName = '',
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
            {csv !== undefined && <ExportCsv<Item> fileName={csvName} pages={table.pages} columns={csv} />}
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
