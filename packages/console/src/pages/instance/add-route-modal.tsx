import { addRoute, listCarriers } from '@waxwing/contract/management-api/carrier-operations.ts';
import { Form, Input, Modal, Radio, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { OrganizationSelect } from '../../parts/organization-select.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

interface Values {
  readonly organization: string;
  readonly carrier: string;
  readonly kind: 'number' | 'prefix';
  readonly address: string;
}

/** Gives a number, or all that begin alike, to an organization. @param number to begin with */
export function AddRouteModal({ number, onEnd }: { readonly number: string | undefined; readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Values>();
  const adding = useChange(addRoute, ['messages']);
  const { items: carriers, isPending } = usePages(listCarriers, {});
  const required = { required: true, whitespace: true, message: t('common.required') };
  return (
    <Modal
      open
      width={520}
      loading={isPending}
      title={t('inboundRoutes.add')}
      okText={t('inboundRoutes.addSubmit')}
      confirmLoading={adding.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p className="quiet">{t('inboundRoutes.what')}</p>
        {adding.error !== null && <ProblemAlert error={adding.error} />}
        <Form<Values>
          form={form}
          name="add-route"
          layout="vertical"
          requiredMark={false}
          initialValues={{ kind: 'number', carrier: carriers?.[0]?.id, address: number }}
          onFinish={({ organization, carrier, kind, address }) =>
            adding.mutate(
              { body: { organization_id: organization, carrier, kind, address: address.trim() } },
              { onSuccess: onEnd },
            )
          }
        >
          <Form.Item name="organization" label={t('shell.organization')} rules={[required]}>
            <OrganizationSelect />
          </Form.Item>
          <Form.Item name="carrier" label={t('carriers.columns.carrier')} rules={[required]}>
            <Select options={(carriers ?? []).map(({ id }) => ({ value: id, label: id }))} />
          </Form.Item>
          <Form.Item name="kind" label={t('inboundRoutes.columns.kind')}>
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
        </Form>
      </div>
    </Modal>
  );
}
