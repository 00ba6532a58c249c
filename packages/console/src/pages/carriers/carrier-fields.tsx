import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { TextField } from '../../parts/forms/text-field.tsx';
import { CarrierTlsFields } from './carrier-tls-fields.tsx';
import {
  addressForm,
  asciiForm,
  type CarrierValues,
  credentialLengths,
  type Protocol,
  prefixForm,
  spanForm,
  statusForm,
} from './carrier-values.ts';
import { FieldGroup } from './field-group.tsx';
import { OrganizationsField } from './organizations-field.tsx';
import { ChoiceSetting, ListSetting, NumberSetting, TextSetting } from './setting-fields.tsx';

interface CarrierFieldsProps {
  /** Of an existing carrier: its secrets are kept where their fields stay empty, and its protocol stays. */
  readonly stored?: { readonly protocol: Protocol; readonly tls_certificate: string | null };
}

/** All settings of a carrier that its protocol has. */
export function CarrierFields({ stored }: CarrierFieldsProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<CarrierValues>();
  const chosen = Form.useWatch('protocol', form);
  const protocol = stored?.protocol ?? chosen ?? 'smpp';
  const isSmpp = protocol === 'smpp';
  return (
    <>
      <FieldGroup title={t('carriers.groups.link')}>
        <TextField name="name" label={t('common.name')} placeholder={t('carriers.namePlaceholder')} />
        {stored === undefined && <ChoiceSetting name="protocol" />}
        <TextSetting
          required
          name="address"
          maxLength={300}
          placeholder={isSmpp ? 'smpp.example.com:2775' : 'ismg.example.com:7890'}
          form={addressForm}
        />
        <AccountField protocol={protocol} />
        <PasswordField protocol={protocol} isStored={stored !== undefined} />
      </FieldGroup>
      <FieldGroup title={t('carriers.groups.choice')} lead={t('carriers.groupLeads.choice')}>
        <ListSetting name="for_prefix" form={prefixForm} most={1000} placeholder="+86, +852" />
        <ListSetting name="for_sender" form={/^.{1,20}$/} most={1000} placeholder="1069001" />
        <OrganizationsField />
        <NumberSetting name="priority" />
        <NumberSetting name="weight" />
      </FieldGroup>
      <FieldGroup title={t('carriers.groups.pace')}>
        <NumberSetting name="connection_count" />
        <NumberSetting name="window" />
        <NumberSetting name="rate" required={false} />
        <ChoiceSetting name="unanswered" />
        <TextSetting required name="response_timeout" maxLength={8} form={spanForm} />
        <TextSetting required name="keep_alive" maxLength={8} form={spanForm} />
        {isSmpp && <ChoiceSetting name="bind" />}
      </FieldGroup>
      <CarrierTlsFields storedCertificate={stored?.tls_certificate ?? null} />
      {isSmpp ? <SmppFields /> : <CmppFields />}
    </>
  );
}

function AccountField({ protocol }: { readonly protocol: Protocol }) {
  const { t } = useTranslation();
  const most = credentialLengths[protocol].account;
  const hint = t(protocol === 'smpp' ? 'carriers.hints.accountSmpp' : 'carriers.hints.accountCmpp', { most });
  return (
    <Form.Item
      name="account"
      label={t('carriers.settings.account')}
      extra={hint}
      rules={[
        { required: true, whitespace: true },
        { pattern: asciiForm(most), message: hint },
      ]}
    >
      <Input className="mono" maxLength={most} autoComplete="off" spellCheck={false} />
    </Form.Item>
  );
}

function PasswordField({ protocol, isStored }: { readonly protocol: Protocol; readonly isStored: boolean }) {
  const { t } = useTranslation();
  const most = credentialLengths[protocol].password;
  const hint = t('carriers.hints.password', { most });
  return (
    <Form.Item
      name="password"
      label={t('carriers.settings.password')}
      extra={isStored ? t('carriers.passwordKept') : hint}
      rules={[...(isStored ? [] : [{ required: true, whitespace: true }]), { pattern: asciiForm(most), message: hint }]}
    >
      <Input.Password className="mono" maxLength={most} autoComplete="new-password" />
    </Form.Item>
  );
}

/** Type and plan of a sender go together. */
function useSenderForm() {
  const { t } = useTranslation();
  const form = Form.useFormInstance<CarrierValues>();
  return {
    validator: async () => {
      const [ton, npi] = [form.getFieldValue('source_ton'), form.getFieldValue('source_npi')];
      if ((ton === null) !== (npi === null)) throw new Error(t('carriers.bothOrNone'));
    },
  };
}

function SmppFields() {
  const { t } = useTranslation();
  const senderForm = useSenderForm();
  return (
    <FieldGroup title={t('carriers.groups.smpp')}>
      <ChoiceSetting name="default_alphabet" />
      <ChoiceSetting name="long" />
      <ChoiceSetting name="receipt_id" />
      <TextSetting name="system_type" maxLength={12} form={asciiForm(12)} />
      <NumberSetting name="source_ton" required={false} rules={[senderForm]} />
      <NumberSetting name="source_npi" required={false} rules={[senderForm]} />
      <NumberSetting name="destination_ton" />
      <NumberSetting name="destination_npi" />
      <ListSetting name="temporary" form={statusForm} most={100} placeholder="0x0400" />
      <ListSetting name="permanent" form={statusForm} most={100} placeholder="0x0401" />
    </FieldGroup>
  );
}

function CmppFields() {
  const { t } = useTranslation();
  return (
    <FieldGroup title={t('carriers.groups.cmpp')}>
      <TextSetting name="source_address" maxLength={21} placeholder="1069001" form={/^\s*\d*\s*$/} />
      <TextSetting name="service_id" maxLength={10} form={asciiForm(10)} />
      <TextSetting name="enterprise_code" maxLength={6} form={asciiForm(6)} />
    </FieldGroup>
  );
}
