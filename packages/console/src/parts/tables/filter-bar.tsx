import { FilterOutlined } from '@ant-design/icons';
import { Button, Grid, Select } from 'antd';
import { Children, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface FilterBarProps {
  /** How many of the filters are in use. */
  readonly inUse: number;
  readonly children: ReactNode;
}

/** The filters of a list. On a phone the first one, and a button that shows the others. */
export function FilterBar({ inUse, children }: FilterBarProps) {
  const { t } = useTranslation();
  const { md: isWide = true } = Grid.useBreakpoint();
  const [isOpen, setOpen] = useState(false);
  const [first, ...others] = Children.toArray(children);
  return (
    <search className="filters">
      {first}
      {(isWide || isOpen) && others}
      {!isWide && (
        <Button icon={<FilterOutlined />} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {inUse === 0 ? t('common.filters') : t('common.filtersInUse', { count: inUse })}
        </Button>
      )}
    </search>
  );
}

interface FilterChoiceProps<Value> {
  readonly label: string;
  /** Where nothing is chosen. */
  readonly any: string;
  readonly value: Value | undefined;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value | undefined) => void;
}

export function FilterChoice<Value extends string | number>(props: FilterChoiceProps<Value>) {
  const { label, any, value, choices, onChange } = props;
  return (
    <Select<Value>
      className="filter-choice"
      aria-label={label}
      allowClear
      placeholder={any}
      {...(value !== undefined && { value })}
      options={[...choices]}
      onChange={(chosen?: Value) => onChange(chosen)}
    />
  );
}
