import { Checkbox, Spin, type TableProps } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Column } from './column.ts';

interface ItemCardsProps<Item> extends Pick<TableProps<Item>, 'expandable' | 'rowClassName' | 'rowSelection'> {
  readonly items: readonly Item[];
  /** The first column is the head of a card. */
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  readonly loading: boolean;
}

/** The rows of a table as cards, for windows in which its columns would lie side by side out of sight. */
export function ItemCards<Item extends object>(props: ItemCardsProps<Item>) {
  const { t } = useTranslation();
  const { items, columns, rowKey, loading, expandable, rowClassName, rowSelection } = props;
  return (
    <Spin spinning={loading}>
      <ul className="cards">
        {items.map((item, index) => (
          <li key={rowKey(item)} className={`card ${classOf(rowClassName, item, index)}`}>
            {rowSelection !== undefined && <Selector item={item} id={rowKey(item)} selection={rowSelection} />}
            <dl>
              {columns.map(({ title, cell }, place) => (
                <div key={title} className={place === 0 ? 'card-head' : ''}>
                  <dt className={place === 0 ? 'visually-hidden' : ''}>{title}</dt>
                  <dd>{cell(item)}</dd>
                </div>
              ))}
            </dl>
            {expandable?.expandedRowRender !== undefined && expandable.rowExpandable?.(item) !== false && (
              <details className="card-more">
                <summary>{t('common.details')}</summary>
                {expandable.expandedRowRender(item, index, 0, true)}
              </details>
            )}
          </li>
        ))}
      </ul>
    </Spin>
  );
}

interface SelectorProps<Item> {
  readonly item: Item;
  readonly id: string;
  readonly selection: NonNullable<TableProps<Item>['rowSelection']>;
}

function Selector<Item extends object>({ item, id, selection }: SelectorProps<Item>) {
  const { selectedRowKeys = [], onChange, getCheckboxProps } = selection;
  return (
    <Checkbox
      className="card-selector"
      {...getCheckboxProps?.(item)}
      checked={selectedRowKeys.includes(id)}
      onChange={({ target }) =>
        onChange?.(target.checked ? [...selectedRowKeys, id] : selectedRowKeys.filter((key) => key !== id), [], {
          type: 'single',
        })
      }
    />
  );
}

function classOf<Item>(rowClassName: TableProps<Item>['rowClassName'], item: Item, index: number): string {
  return typeof rowClassName === 'function' ? rowClassName(item, index, 0) : (rowClassName ?? '');
}
