import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';

interface OutdatedFilterProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function OutdatedFilter({ isOn, onChange }: OutdatedFilterProps) {
  const { t } = useTranslation();
  return (
    <Checkbox className="filter-switch" checked={isOn} onChange={({ target }) => onChange(target.checked)}>
      {t('deployments.rollout.only')}
    </Checkbox>
  );
}
