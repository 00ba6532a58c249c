import { showMessagingSettings, updateQuotas } from '@waxwing/contract/management-api/messaging-setting-operations.ts';
import { Button, Form, InputNumber, Modal, Skeleton } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, useTagged } from '../../api/api-context.tsx';
import type { Organization } from '../../api/shown-things.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

interface Values {
  readonly messages_per_second: number | null;
  readonly messages_per_day: number | null;
}

const limits = [
  ['messages_per_second', 1_000_000],
  ['messages_per_day', 1_000_000_000_000],
] as const;

/** How much an organization may send. */
export function QuotaButton({ organization: { id, name } }: { readonly organization: Organization }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" aria-label={t('quotas.named', { name })} onClick={() => setOpen(true)}>
        {t('quotas.button')}
      </Button>
      {isOpen && <QuotaModal organizationId={id} name={name} onEnd={() => setOpen(false)} />}
    </>
  );
}

interface QuotaModalProps {
  readonly organizationId: string;
  readonly name: string;
  readonly onEnd: () => void;
}

function QuotaModal({ organizationId, name, onEnd }: QuotaModalProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Values>();
  const params = { organization_id: organizationId };
  const shown = useTagged(showMessagingSettings, { params });
  const updating = useChange(updateQuotas);
  const { data } = shown;
  return (
    <Modal
      open
      width={460}
      title={t('quotas.named', { name })}
      okText={t('common.save')}
      okButtonProps={{ disabled: data === undefined }}
      confirmLoading={updating.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p className="quiet">{t('quotas.what')}</p>
        {shown.error !== null && <ProblemAlert error={shown.error} />}
        {updating.error !== null && <ProblemAlert error={updating.error} />}
        {data === undefined ? (
          shown.error === null && <Skeleton active />
        ) : (
          <Form<Values>
            form={form}
            name="quotas"
            layout="vertical"
            requiredMark={false}
            initialValues={data.value}
            onFinish={(body) => updating.mutate({ params, body, ifMatch: data.etag }, { onSuccess: onEnd })}
          >
            {limits.map(([limit, max]) => (
              <Form.Item key={limit} name={limit} label={t(`quotas.${limit}`)} extra={t(`quotas.hints.${limit}`)}>
                <InputNumber min={1} max={max} precision={0} style={{ width: '100%' }} placeholder={t('quotas.none')} />
              </Form.Item>
            ))}
          </Form>
        )}
      </div>
    </Modal>
  );
}
