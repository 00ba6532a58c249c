import { CheckCircleOutlined, DeleteOutlined, StopOutlined } from '@ant-design/icons';
import { useNavigate } from '@tanstack/react-router';
import {
  deleteCarrier,
  disableCarrier,
  enableCarrier,
} from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Carrier } from '../../api/shown-carriers.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';

interface CarrierProps {
  readonly carrier: Pick<Carrier, 'id' | 'name' | 'enabled'>;
}

/** Lets a carrier take messages or none, after a confirmation. */
export function SwitchCarrierButton({ carrier: { id, name, enabled } }: CarrierProps) {
  const { t } = useTranslation();
  const may = useMay();
  const enabling = useChange(enableCarrier);
  const disabling = useChange(disableCarrier);
  if (!may(enabled ? disableCarrier : enableCarrier)) return null;
  const [verb, icon] = enabled
    ? (['disable', <StopOutlined key="off" />] as const)
    : (['enable', <CheckCircleOutlined key="on" />] as const);
  return (
    <ConfirmButton
      icon={icon}
      text={t(`carriers.${verb}`)}
      title={t(`carriers.${verb}Title`, { name })}
      what={t(`carriers.${verb}What`)}
      change={enabled ? disabling : enabling}
      input={{ params: { carrier_id: id } }}
    />
  );
}

export function DeleteCarrierButton({ carrier: { id, name } }: CarrierProps) {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = useNavigate();
  const deleting = useChange(deleteCarrier);
  if (!may(deleteCarrier)) return null;
  return (
    <ConfirmButton
      danger
      icon={<DeleteOutlined />}
      text={t('common.delete')}
      title={t('common.deleteTitle', { name })}
      what={t('carriers.deleteWhat')}
      change={deleting}
      input={{ params: { carrier_id: id } }}
      onDone={() => void navigate({ to: '/instance/carriers', replace: true })}
    />
  );
}
