import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { EmptyState } from './empty-state.tsx';

/** Nothing fits the filters; a button takes them away. */
export function NoneFound({ title, onClear }: { readonly title: string; readonly onClear: () => void }) {
  const { t } = useTranslation();
  return <EmptyState title={title} action={<Button onClick={onClear}>{t('common.clearFilters')}</Button>} />;
}
