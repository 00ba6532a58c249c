import type { AlertChannelKind } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import { Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { toApiProblem } from '../../api/api-problem.ts';
import { TextField } from '../../parts/forms/text-field.tsx';
import { UrlFault } from '../../parts/forms/url-fault.tsx';

export interface ChannelValues {
  readonly name: string;
  readonly to?: string[];
  readonly url?: string;
  readonly secret?: string;
}

/** Addresses of robots as their own pages show them. */
const urlForms = {
  webhook: 'https://ops.example.com/alerts',
  wecom: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…',
  dingtalk: 'https://oapi.dingtalk.com/robot/send?access_token=…',
  feishu: 'https://open.feishu.cn/open-apis/bot/v2/hook/…',
} as const;

const emailForm = /^[^\s@]+@[^\s@]+$/;
const mostRecipients = 20;

interface ChannelFieldsProps {
  readonly kind: AlertChannelKind;
  /** Set for an existing channel: its URL and secret are kept where the fields stay empty. */
  readonly isPresent?: boolean;
  readonly error: unknown;
}

/** The fields of an alert channel: its name, and whom it reaches. */
export function ChannelFields({ kind, isPresent = false, error }: ChannelFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextField name="name" label={t('common.name')} placeholder={t('alertChannels.namePlaceholder')} />
      {kind === 'email' ? (
        <Form.Item
          name="to"
          label={t('alertChannels.to')}
          extra={t('alertChannels.toHint')}
          rules={[
            { required: true },
            {
              validator: (_rule, to: readonly string[] = []) =>
                to.length <= mostRecipients && to.every((each) => emailForm.test(each))
                  ? Promise.resolve()
                  : Promise.reject(new Error(t('alertChannels.toForm', { most: mostRecipients }))),
            },
          ]}
        >
          <Select
            mode="tags"
            open={false}
            suffixIcon={null}
            tokenSeparators={[',', ' ', '\n', ';', '，', '；']}
            placeholder="ops@example.com"
          />
        </Form.Item>
      ) : (
        <>
          <UrlField kind={kind} isPresent={isPresent} error={error} />
          {kind !== 'wecom' && <SecretField kind={kind} isPresent={isPresent} />}
        </>
      )}
    </>
  );
}

/** Whether a refusal is told at the field of the URL. */
export function isUrlFault(error: unknown): boolean {
  return error !== null && toApiProblem(error).field === 'url';
}

function UrlField({ kind, isPresent, error }: ChannelFieldsProps & { readonly kind: keyof typeof urlForms }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<ChannelValues>();
  const isWrong = isUrlFault(error);
  return (
    <Form.Item
      name="url"
      label={t(kind === 'webhook' ? 'alertChannels.url' : 'alertChannels.robotUrl')}
      rules={isPresent ? [] : [{ required: true, whitespace: true }]}
      {...(isWrong
        ? {
            validateStatus: 'error' as const,
            help: <UrlFault url={form.getFieldValue('url') ?? ''} problem={toApiProblem(error)} />,
          }
        : { extra: t(isPresent ? 'alertChannels.urlKept' : `alertChannels.urlHints.${kind}`) })}
    >
      <Input
        className="mono"
        inputMode="url"
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        placeholder={urlForms[kind]}
      />
    </Form.Item>
  );
}

interface SecretFieldProps {
  readonly kind: 'webhook' | 'dingtalk' | 'feishu';
  readonly isPresent: boolean;
}

function SecretField({ kind, isPresent }: SecretFieldProps) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="secret"
      label={t('alertChannels.secret')}
      extra={
        <>
          {isPresent && t('alertChannels.secretKept')} {t(`alertChannels.secretHints.${kind}`)}
        </>
      }
      rules={
        kind === 'webhook'
          ? [{ pattern: /^\s*whsec_[\w+/=-]+\s*$/, message: t('push.secret.ownHint') }]
          : [{ pattern: /^\s*[\x21-\x7e]+\s*$/, message: t('alertChannels.secretForm') }]
      }
    >
      <Input.Password className="mono" maxLength={200} autoComplete="new-password" />
    </Form.Item>
  );
}
