import { addRoute, listCarriers } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { Form, Radio, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { OrganizationSelect } from '../../parts/forms/organization-select.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';

interface Values {
  readonly organization: string;
  readonly carrier: string;
  readonly kind: 'number' | 'prefix';
  readonly address: string;
}

interface AddRouteModalProps {
  readonly number: string | undefined;
  readonly onEnd: () => void;
}

export function AddRouteModal({ number, onEnd }: AddRouteModalProps) {
  const { t } = useTranslation();
  const { items, error } = usePages(listCarriers, {});
  const carriers = items ?? [];
  const adding = useChange(addRoute, ['messaging']);
  const carrier = carriers[0]?.id;
  return (
    <FormModal<Values>
      title={t('inboundRoutes.add')}
      lead={t('inboundRoutes.what')}
      name="add-route"
      submit={t('common.add')}
      width={520}
      reading={items === undefined ? { error } : undefined}
      initialValues={{
        kind: 'number',
        ...(carrier !== undefined && { carrier }),
        ...(number !== undefined && { address: number }),
      }}
      saving={adding}
      onSave={({ organization, carrier, kind, address }) =>
        adding.mutate(
          { body: { organization_id: organization, carrier, kind, address: address.trim() } },
          { onSuccess: onEnd },
        )
      }
      onEnd={onEnd}
    >
      <Form.Item name="organization" label={t('shell.organization')} rules={[{ required: true, whitespace: true }]}>
        <OrganizationSelect />
      </Form.Item>
      <Form.Item name="carrier" label={t('carriers.columns.carrier')} rules={[{ required: true, whitespace: true }]}>
        <Select
          options={carriers.map(({ id, name, simulated }) => ({
            value: id,
            label: simulated ? t('carriers.simulatedNamed', { name }) : name,
          }))}
        />
      </Form.Item>
      <Form.Item name="kind" label={t('inboundRoutes.columns.kind')}>
        <Radio.Group
          options={(['number', 'prefix'] as const).map((value) => ({
            value,
            label: t(`inboundRoutes.kinds.${value}`),
          }))}
        />
      </Form.Item>
      <TextField
        name="address"
        label={t('messaging.number')}
        hint={t('inboundRoutes.addressHint')}
        maxLength={32}
        placeholder="1069001"
      />
    </FormModal>
  );
}
