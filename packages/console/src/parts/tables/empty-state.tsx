import { Button, Empty } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface EmptyStateProps {
  readonly title: string;
  readonly lead?: string;
  readonly action?: ReactNode;
}

/** In place of an empty list: the reason, and a button for the next step. */
export function EmptyState({ title, lead, action }: EmptyStateProps) {
  return (
    <div className="panel">
      <Empty
        image={Empty.PRESENTED_IMAGE_SIMPLE}
        description={
          <div className="stack tight">
            <strong>{title}</strong>
            {lead !== undefined && <span className="quiet">{lead}</span>}
          </div>
        }
      >
        {action}
      </Empty>
    </div>
  );
}

/** In place of a list in which nothing matches the filters. */
export function NoneFound({ title, onClear }: { readonly title: string; readonly onClear: () => void }) {
  const { t } = useTranslation();
  return <EmptyState title={title} action={<Button onClick={onClear}>{t('common.clearFilters')}</Button>} />;
}
