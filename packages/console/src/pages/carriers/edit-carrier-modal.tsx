import { showCarrier, updateCarrier } from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { CarrierFields } from './carrier-fields.tsx';
import { type CarrierValues, carrierChange } from './carrier-values.ts';

interface EditCarrierModalProps {
  readonly carrierId: string;
  readonly onEnd: () => void;
}

/** Changes a carrier as it is at the moment of opening. Its protocol cannot change, and its secrets are never shown. */
export function EditCarrierModal({ carrierId, onEnd }: EditCarrierModalProps) {
  const { t } = useTranslation();
  const { opened, form, save } = useEdit(showCarrier, updateCarrier, { params: { carrier_id: carrierId } });
  const was = opened?.value;
  return (
    <FormModal<CarrierValues>
      title={was === undefined ? t('common.edit') : t('carriers.edit', { name: was.name })}
      lead={was && `${t(`carriers.choices.protocol.${was.protocol}`)} · ${t('carriers.editLead')}`}
      name="edit-carrier"
      width={760}
      {...form}
      initialValues={was}
      onSave={(values) => {
        if (was === undefined) return;
        const body = carrierChange(was, values);
        if (body === undefined) onEnd();
        else save({ body }, onEnd);
      }}
      onEnd={onEnd}
    >
      {was !== undefined && <CarrierFields stored={was} />}
    </FormModal>
  );
}
