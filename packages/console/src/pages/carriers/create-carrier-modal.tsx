import { createCarrier } from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Carrier } from '../../api/shown-carriers.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { CarrierFields } from './carrier-fields.tsx';
import { type CarrierValues, newCarrier, standardValues } from './carrier-values.ts';

interface CreateCarrierModalProps {
  /** There was never a carrier: the simulator takes messages, and will not any more. */
  readonly isFirst: boolean;
  readonly onMade: (carrier: Carrier) => void;
  readonly onEnd: () => void;
}

export function CreateCarrierModal({ isFirst, onMade, onEnd }: CreateCarrierModalProps) {
  const { t } = useTranslation();
  const creating = useChange(createCarrier);
  return (
    <FormModal<CarrierValues>
      title={t('carriers.create')}
      lead={t(isFirst ? 'carriers.createFirstLead' : 'carriers.createLead')}
      name="create-carrier"
      submit={t('carriers.createSubmit')}
      width={760}
      initialValues={{ protocol: 'smpp', ...standardValues, source_ton: null, source_npi: null }}
      saving={creating}
      onSave={(values) => creating.mutate({ body: newCarrier(values) }, { onSuccess: onMade })}
      onEnd={onEnd}
    >
      <CarrierFields />
    </FormModal>
  );
}
