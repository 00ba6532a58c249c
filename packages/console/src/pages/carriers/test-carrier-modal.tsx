import { testCarrier } from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { Alert, Form, Input, Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { TestedCarrier } from '../../api/shown-carriers.ts';
import { codeKey } from '../../i18n/code-key.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { carrierFaultText } from './carrier-fault.ts';
import { carrierTestSteps, type TestStep } from './carrier-test-steps.ts';
import type { Protocol } from './carrier-values.ts';

export interface TestedThing {
  readonly id: string;
  readonly name: string;
  readonly protocol: Protocol;
}

interface TestCarrierModalProps {
  readonly carrier: TestedThing;
  readonly onEnd: () => void;
}

interface Values {
  readonly to?: string;
  readonly text?: string;
}

/** Binds to a carrier beside its link, and sends a text where a phone is given. */
export function TestCarrierModal({ carrier: { id, name, protocol }, onEnd }: TestCarrierModalProps) {
  const { t } = useTranslation();
  const testing = useChange(testCarrier);
  const { data, isPending, variables } = testing;
  return (
    <FormModal<Values>
      title={t('carriers.test.named', { name })}
      lead={t('carriers.test.what')}
      name="test-carrier"
      submit={t('carriers.test.button')}
      width={560}
      saving={testing}
      onSave={({ to = '', text = '' }) => {
        const phone = to.trim();
        const body = phone === '' ? {} : { to: phone, ...(text.trim() !== '' && { text: text.trim() }) };
        testing.mutate({ params: { carrier_id: id }, body });
      }}
      onEnd={onEnd}
    >
      <Form.Item
        name="to"
        label={t('carriers.test.to')}
        extra={t('carriers.test.toHint')}
        rules={[{ pattern: /^\s*(?:\+[1-9]\d{3,14})?\s*$/, message: t('carriers.phoneForm') }]}
      >
        <Input autoFocus inputMode="tel" maxLength={20} autoComplete="off" placeholder="+8613800138000" />
      </Form.Item>
      <TextOfTest />
      <div aria-live="polite">
        {isPending && <Skeleton active />}
        {data !== undefined && !isPending && (
          <Outcome tested={data} steps={carrierTestSteps(protocol, variables?.body?.to !== undefined, data)} />
        )}
      </div>
    </FormModal>
  );
}

function TextOfTest() {
  const { t } = useTranslation();
  const to = Form.useWatch<string | undefined>('to', Form.useFormInstance()) ?? '';
  if (to.trim() === '') return null;
  return (
    <Form.Item name="text" label={t('messaging.send.content')}>
      <Input.TextArea rows={2} maxLength={1000} placeholder="Test by Waxwing" />
    </Form.Item>
  );
}

interface OutcomeProps {
  readonly tested: TestedCarrier;
  readonly steps: readonly TestStep[];
}

function Outcome({ tested: { ok, error, message_id }, steps }: OutcomeProps) {
  const { t, i18n } = useTranslation();
  return (
    <Alert
      type={ok ? 'success' : 'error'}
      showIcon
      title={t(ok ? 'carriers.test.worked' : 'carriers.test.failed')}
      description={
        <div className="stack tight">
          {error !== null && <span className="break-anywhere">{carrierFaultText(i18n, error)}</span>}
          <ol className="carrier-steps" aria-label={t('carriers.test.steps')}>
            {steps.map((step) => (
              <StepLine key={step.name} step={step} />
            ))}
          </ol>
          {message_id !== null && (
            <span className="quiet break-anywhere">
              {t('messaging.timeline.carrierMessageId')} <span className="mono">{message_id}</span>
            </span>
          )}
        </div>
      }
    />
  );
}

function StepLine({ step }: { readonly step: TestStep }) {
  const { t, i18n } = useTranslation();
  return (
    <li>
      <span>{t(`carriers.test.names.${codeKey(step.name)}`)}</span>
      {step.state === 'worked' && (
        <span className="figures">{t('push.milliseconds', { value: step.ms.toLocaleString(i18n.language) })}</span>
      )}
      {step.state === 'failed' && <Mark tone="bad">{t('carriers.test.stepFailed')}</Mark>}
      {step.state === 'notTried' && <span className="quiet">{t('carriers.test.notTried')}</span>}
    </li>
  );
}
