import { DeleteOutlined } from '@ant-design/icons';
import { Button, Form, Input, type TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { EmptyState } from './empty-state.tsx';
import { Instant } from './instant.tsx';
import { type ItemPages, ItemTable } from './item-table.tsx';
import { ProblemAlert } from './problem-alert.tsx';

/** A number or word of a list. */
export interface ListedValue {
  readonly value: string;
  readonly created_at: string;
}

/** A change, as `useChange` gives it. */
interface Change {
  readonly error: unknown;
  readonly isPending: boolean;
}

export interface ListedValuesProps {
  /** What the list is, and what stands in its first column. */
  readonly title: string;
  readonly column: string;
  readonly pages: ItemPages<ListedValue>;
  readonly none: string;
  readonly noneLead: string;
  /** Left out for who may not add. */
  readonly adding?: Change & {
    readonly label: string;
    readonly hint: string;
    readonly add: (value: string, onDone: () => void) => void;
  };
  /** Left out for who may not remove. */
  readonly removing?: Change & { readonly remove: (value: string) => void };
}

/** A list of values that are added and removed one by one. */
export function ListedValues({ title, column, pages, none, noneLead, adding, removing }: ListedValuesProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ value: string }>();
  const columns: TableColumnType<ListedValue>[] = [
    {
      title: column,
      key: 'value',
      render: (_value, { value }) => <span className="mono break-anywhere">{value}</span>,
    },
    {
      title: t('deployments.columns.created'),
      key: 'created',
      width: 180,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    ...(removing === undefined
      ? []
      : [
          {
            title: t('common.actions'),
            key: 'actions',
            width: 110,
            render: (_value: unknown, { value }: ListedValue) => (
              <Button
                size="small"
                danger
                icon={<DeleteOutlined />}
                aria-label={t('account.removeNamed', { name: value })}
                onClick={() => removing.remove(value)}
              >
                {t('account.remove')}
              </Button>
            ),
          },
        ]),
  ];
  return (
    <div className="stack">
      {adding !== undefined && (
        <Form
          form={form}
          layout="inline"
          className="filters"
          onFinish={({ value }) => adding.add(value.trim(), () => form.resetFields())}
        >
          <Form.Item
            name="value"
            rules={[{ required: true, whitespace: true, message: t('common.required') }]}
            style={{ marginInlineEnd: 0 }}
          >
            <Input className="search" aria-label={adding.label} placeholder={adding.hint} maxLength={100} />
          </Form.Item>
          <Button type="primary" htmlType="submit" loading={adding.isPending}>
            {adding.label}
          </Button>
        </Form>
      )}
      {adding !== undefined && adding.error !== null && <ProblemAlert error={adding.error} />}
      {removing !== undefined && removing.error !== null && <ProblemAlert error={removing.error} />}
      <ItemTable<ListedValue>
        label={title}
        pages={pages}
        columns={columns}
        rowKey={({ value }) => value}
        minWidth={480}
        empty={<EmptyState title={none}>{noneLead}</EmptyState>}
      />
    </div>
  );
}
