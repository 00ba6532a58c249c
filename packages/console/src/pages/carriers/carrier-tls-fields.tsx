import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { type CarrierValues, needsKey } from './carrier-values.ts';
import { FieldGroup } from './field-group.tsx';
import { PemField } from './pem-field.tsx';
import { ChoiceSetting, TextSetting } from './setting-fields.tsx';

/** @param storedCertificate of an existing carrier: its key is kept where the field stays empty */
export function CarrierTlsFields({ storedCertificate }: { readonly storedCertificate: string | null }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<CarrierValues>();
  const isOn = Form.useWatch('tls', form) === 'verify';
  const isGiven = (name: 'tls_certificate' | 'tls_key') => (form.getFieldValue(name) ?? '').trim() !== '';
  const keyWithCertificate = {
    validator: async () => {
      const isNeeded = needsKey(form.getFieldValue('tls_certificate'), storedCertificate);
      if (isNeeded && !isGiven('tls_key')) throw new Error(t('carriers.keyNeeded'));
      if (isGiven('tls_key') && !isGiven('tls_certificate')) throw new Error(t('carriers.certificateNeeded'));
    },
  };
  return (
    <FieldGroup title={t('carriers.groups.tls')}>
      <ChoiceSetting name="tls" />
      {isOn && (
        <>
          <TextSetting name="tls_name" maxLength={253} placeholder="smpp.example.com" form={/^\s*[\w.-]*\s*$/} />
          <PemField name="tls_ca" holds="CERTIFICATE" hint={t('carriers.hints.tls_ca')} />
          <PemField name="tls_certificate" holds="CERTIFICATE" hint={t('carriers.hints.tls_certificate')} />
          <PemField
            name="tls_key"
            holds="PRIVATE KEY"
            hint={t(storedCertificate === null ? 'carriers.hints.tls_key' : 'carriers.keyKept')}
            rules={[keyWithCertificate]}
          />
        </>
      )}
    </FieldGroup>
  );
}
