import type { CertificateFaultCode } from '@waxwing/contract/management-api/certificate-faults.ts';
import type { Fault } from '@waxwing/contract/management-api/shared-schemas.ts';
import type { i18n as Languages } from 'i18next';

/** A fault in the reader's language; one without a code, or with a newer one than this console knows, in the server's words. */
export function faultText(
  languages: Pick<Languages, 't' | 'exists'>,
  { code, message, parameters = {} }: Fault,
): string {
  const { t } = languages;
  if (code === undefined || !languages.exists(`certificateFaults.${code}`)) return sentence(message);
  const { certificate, serial = '' } = parameters;
  const values =
    certificate === '' ? { ...parameters, certificate: t('certificates.withSerial', { serial }) } : parameters;
  return t(`certificateFaults.${code as CertificateFaultCode}`, { ...values });
}

const sentence = (clause: string) => clause.charAt(0).toUpperCase() + clause.slice(1);
