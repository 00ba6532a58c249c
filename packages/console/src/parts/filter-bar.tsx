import { FilterOutlined } from '@ant-design/icons';
import { Button, Grid } from 'antd';
import { Children, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface FilterBarProps {
  /** How many of the filters are in use. */
  readonly inUse: number;
  readonly children: ReactNode;
}

/** The filters of a list. In a window as narrow as a telephone's the first one, and a button that shows the others. */
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
