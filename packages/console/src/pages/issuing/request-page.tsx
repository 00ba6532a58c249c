import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { listOfferedAuthorities } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { requestCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { listDnsProviders } from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { mostRequestedNames } from '@waxwing/contract/requested-names.ts';
import { Alert, Button, Checkbox, Collapse, Form, Input, Radio, Select } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { onlyWhoMay } from '../../parts/dialogs/only-who-may.tsx';
import { useKeptDraft } from '../../parts/forms/use-kept-draft.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { challengeKey } from './challenge-key.ts';
import './issuing.css';
import { NoAuthority } from './no-authority.tsx';
import { refusalText, refusedField } from './request-refusal.ts';
import { TypedNameList } from './typed-name-list.tsx';
import { readTypedNames } from './typed-names.ts';

const route = getRouteApi('/frame/o/$organizationId/certificates/request');

const challenges = ['http-01', 'tls-alpn-01', 'dns-01'] as const;
const keyKinds = ['ec256', 'ec384', 'rsa2048', 'rsa3072', 'rsa4096'] as const;
/** In place of a DNS provider: one CNAME is set by hand, once. */
const managed = '';

interface Values {
  readonly domains: string;
  readonly authorities: string;
  readonly failover: readonly string[];
  readonly challenge: (typeof challenges)[number];
  readonly dns_provider: string;
  readonly key: (typeof keyKinds)[number];
  readonly keepKey: boolean;
  readonly profile: string;
  readonly name: string;
}

/** Requests a certificate from an authority. Names are checked while they are typed, by the rules of the server. */
export const RequestPage = onlyWhoMay(requestCertificate, RequestForm);

function RequestForm() {
  const { t, i18n } = useTranslation();
  const { organizationId } = route.useParams();
  const navigate = useNavigate();
  const [form] = Form.useForm<Values>();
  const draft = useKeptDraft(form);
  const params = { organization_id: organizationId };
  const authorities = usePages(listOfferedAuthorities, { params });
  const providers = usePages(listDnsProviders, { params });
  const requesting = useChange(requestCertificate);
  const typed = readTypedNames(Form.useWatch('domains', form) ?? '');
  const challenge = Form.useWatch('challenge', form);
  const primary = Form.useWatch('authorities', form);
  const provider = Form.useWatch('dns_provider', form);
  const refused = requesting.error === null ? undefined : refusedField(requesting.error);

  // Nothing else proves a wildcard.
  useEffect(() => {
    if (typed.hasWildcard && challenge !== 'dns-01') form.setFieldsValue({ challenge: 'dns-01' });
  }, [typed.hasWildcard, challenge, form]);

  if (authorities.items === undefined) return <Unread of={authorities} />;
  const offered = authorities.items;
  const [first] = offered;
  const title = t('issuing.request.title');
  if (first === undefined) {
    return (
      <>
        <PageHead title={title} lead={t('issuing.request.lead')} />
        <NoAuthority />
      </>
    );
  }
  const nameOf = (id: string) => offered.find((each) => each.id === id)?.name ?? id;
  const options = offered.map(({ id, name, directory }) => ({ value: id, label: name, title: directory }));

  function send(values: Values): void {
    const { keepKey, failover = [] } = values;
    const profile = values.profile?.trim() ?? '';
    const name = values.name?.trim() ?? '';
    requesting.mutate(
      {
        params,
        body: {
          domains: readTypedNames(values.domains).names.map(({ text }) => text),
          authorities: [values.authorities, ...failover.filter((id) => id !== values.authorities)],
          challenge: values.challenge,
          key: values.key,
          ...(values.challenge === 'dns-01' &&
            values.dns_provider !== managed && { dns_provider: values.dns_provider }),
          ...(keepKey && { keep_key: true }),
          ...(profile !== '' && { profile }),
          ...(name !== '' && { name }),
        },
      },
      {
        onSuccess: ({ id: certificateId }) =>
          void navigate({
            to: '/o/$organizationId/certificates/$certificateId',
            params: { organizationId, certificateId },
          }),
        onError(problem) {
          const field = refusedField(problem);
          if (field === undefined) return;
          form.setFields([{ name: field, errors: [refusalText(i18n, problem)] }]);
          form.scrollToField(field, { block: 'center' });
        },
      },
    );
  }

  return (
    <>
      <PageHead title={title} lead={t('issuing.request.lead')} />
      <Form<Values>
        form={form}
        layout="vertical"
        className="panel"
        style={{ maxWidth: 760 }}
        initialValues={{
          ...{ authorities: first.id, failover: [], challenge: 'http-01', dns_provider: managed, key: 'ec256' },
          ...{ keepKey: false, ...draft },
        }}
        onValuesChange={({ authorities: chosen }, { failover = [] }) => {
          // The one that is asked first is not asked again.
          if (chosen !== undefined) form.setFieldsValue({ failover: failover.filter((id) => id !== chosen) });
        }}
        onFinish={send}
      >
        {requesting.error !== null && refused === undefined && (
          <Form.Item>
            <ProblemAlert error={requesting.error} />
          </Form.Item>
        )}
        <Form.Item
          name="domains"
          label={t('certificates.columns.domains')}
          extra={t('issuing.request.domainsHint')}
          rules={[
            { required: true, whitespace: true },
            {
              validator: async (_rule, text = '') => {
                if (readTypedNames(text).hasFault) throw new Error();
              },
              message: t('issuing.request.someWrong'),
            },
            {
              validator: async (_rule, text = '') => {
                if (readTypedNames(text).isTooMany) throw new Error();
              },
              message: t('issuing.request.tooMany', { count: mostRequestedNames }),
            },
          ]}
          validateTrigger="onBlur"
        >
          <Input.TextArea autoFocus rows={5} placeholder={'www.example.com\n*.example.com'} />
        </Form.Item>
        {typed.names.length > 0 && (
          <Form.Item>
            <TypedNameList typed={typed} />
          </Form.Item>
        )}
        <Form.Item name="challenge" label={t('issuing.request.challenge')} rules={[{ required: true }]}>
          <Radio.Group className="choice-list">
            {challenges.map((kind) => (
              <Radio key={kind} value={kind} disabled={typed.hasWildcard && kind !== 'dns-01'}>
                <strong>{t(`issuing.challenges.${challengeKey(kind)}`)}</strong>
                <span className="quiet small block">{t(`issuing.challengeHints.${challengeKey(kind)}`)}</span>
              </Radio>
            ))}
          </Radio.Group>
        </Form.Item>
        {typed.hasWildcard && (
          <Form.Item>
            <Alert type="info" showIcon title={t('issuing.request.wildcard')} />
          </Form.Item>
        )}
        {challenge === 'dns-01' && (
          <Form.Item
            name="dns_provider"
            label={t('issuing.request.dnsProvider')}
            extra={provider === managed ? t('issuing.request.managedHint') : t('issuing.request.providerHint')}
          >
            <Select
              options={[
                { value: managed, label: t('issuing.request.managed') },
                ...(providers.items ?? []).map(({ id, name, kind }) => ({ value: id, label: `${name} (${kind})` })),
              ]}
              loading={providers.isPending}
            />
          </Form.Item>
        )}
        <Form.Item
          name="authorities"
          label={t('issuing.request.authority')}
          extra={offered.find(({ id }) => id === primary)?.directory}
          rules={[{ required: true }]}
        >
          <Select options={options} />
        </Form.Item>
        {offered.length > 1 && (
          <Form.Item
            name="failover"
            label={t('issuing.request.failover')}
            extra={t('issuing.request.failoverHint', { name: nameOf(primary ?? first.id) })}
          >
            <Select mode="multiple" options={options.filter(({ value }) => value !== primary)} maxCount={9} />
          </Form.Item>
        )}
        <Form.Item name="key" label={t('issuing.request.key')} rules={[{ required: true }]}>
          <Select options={keyKinds.map((value) => ({ value, label: t(`issuing.keys.${value}`) }))} />
        </Form.Item>
        <Form.Item name="keepKey" valuePropName="checked" extra={t('issuing.request.keepKeyHint')}>
          <Checkbox>{t('issuing.request.keepKey')}</Checkbox>
        </Form.Item>
        <Collapse
          ghost
          className="more-fields"
          defaultActiveKey={refused === 'profile' || refused === 'name' ? ['more'] : []}
          items={[
            {
              key: 'more',
              label: t('issuing.request.more'),
              forceRender: true,
              children: (
                <>
                  <Form.Item name="name" label={t('common.name')}>
                    <Input maxLength={200} placeholder={t('certificates.import.nameHint')} />
                  </Form.Item>
                  <Form.Item
                    name="profile"
                    label={t('issuing.request.profile')}
                    extra={t('issuing.request.profileHint')}
                    rules={[{ pattern: /^\s*[A-Za-z0-9._-]{0,64}\s*$/, message: t('issuing.request.profileRule') }]}
                  >
                    <Input maxLength={64} placeholder={offered.find(({ id }) => id === primary)?.profile ?? ''} />
                  </Form.Item>
                </>
              ),
            },
          ]}
        />
        <div className="row end">
          <Button onClick={() => void navigate({ to: '/o/$organizationId/certificates', params: { organizationId } })}>
            {t('common.cancel')}
          </Button>
          <Button type="primary" htmlType="submit" loading={requesting.isPending}>
            {t('issuing.request.submit')}
          </Button>
        </div>
      </Form>
    </>
  );
}
