import type { ReactNode } from 'react';

/** A column of a table, or a line of each card where the window is too narrow for a table. */
export interface Column<Item> {
  readonly title: string;
  /** Pixels; left out: what the other columns leave. */
  readonly width?: number;
  readonly align?: 'right';
  readonly cell: (item: Item) => ReactNode;
}
