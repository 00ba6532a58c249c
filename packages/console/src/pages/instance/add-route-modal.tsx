import { addRoute, listCarriers } from '@waxwing/contract/management-api/carrier-operations.ts';
import { Form, Input, Radio, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { OrganizationSelect } from '../../parts/organization-select.tsx';
import { PendingModal } from '../../parts/pending-modal.tsx';

interface Values {
  readonly organization: string;
  readonly carrier: string;
  readonly kind: 'number' | 'prefix';
  readonly address: string;
}

interface AddRouteModalProps {
  /** To begin with. */
  readonly number: string | undefined;
  readonly onEnd: () => void;
}

/** Gives a number, or all that begin alike, to an organization. */
export function AddRouteModal({ number, onEnd }: AddRouteModalProps) {
  const { t } = useTranslation();
  const { items, error } = usePages(listCarriers, {});
  if (items !== undefined) return <AddForm number={number} carriers={items.map(({ id }) => id)} onEnd={onEnd} />;
  return <PendingModal title={t('inboundRoutes.add')} width={520} error={error} onEnd={onEnd} />;
}

function AddForm({ number, carriers, onEnd }: AddRouteModalProps & { readonly carriers: readonly string[] }) {
  const { t } = useTranslation();
  const adding = useChange(addRoute, ['messaging']);
  const required = { required: true, whitespace: true, message: t('common.required') };
  const [carrier] = carriers;
  return (
    <FormModal<Values>
      title={t('inboundRoutes.add')}
      lead={t('inboundRoutes.what')}
      name="add-route"
      submit={t('inboundRoutes.addSubmit')}
      width={520}
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
      <Form.Item name="organization" label={t('shell.organization')} rules={[required]} style={{ marginBlockEnd: 0 }}>
        <OrganizationSelect />
      </Form.Item>
      <Form.Item name="carrier" label={t('carriers.columns.carrier')} rules={[required]} style={{ marginBlockEnd: 0 }}>
        <Select options={carriers.map((value) => ({ value, label: value }))} />
      </Form.Item>
      <Form.Item name="kind" label={t('inboundRoutes.columns.kind')} style={{ marginBlockEnd: 0 }}>
        <Radio.Group
          options={(['number', 'prefix'] as const).map((value) => ({
            value,
            label: t(`inboundRoutes.kinds.${value}`),
          }))}
        />
      </Form.Item>
      <Form.Item
        name="address"
        label={t('inboundRoutes.columns.address')}
        extra={t('inboundRoutes.addressHint')}
        rules={[required]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoComplete="off" maxLength={32} placeholder="1069001" />
      </Form.Item>
    </FormModal>
  );
}
