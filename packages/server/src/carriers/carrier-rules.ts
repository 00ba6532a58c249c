import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isHostName, readCarrierAddress } from './carrier-address.ts';
import { spanMs } from './link-span.ts';
import { type CarrierSettings, cmppNames, smppNames } from './stored-carrier.ts';

export interface SettingFault {
  /** The name of the setting. */
  readonly field: string;
  /** A sentence: what is wrong and what to do. */
  readonly message: string;
}

/** What was given with a request. */
export interface GivenSettings {
  /** The names of the given settings. */
  readonly names: ReadonlySet<string>;
  /** Undefined: it stays as it is. */
  readonly password: string | undefined;
  readonly tlsKey: string | undefined;
}

type Rule = (settings: CarrierSettings, given: GivenSettings) => readonly SettingFault[];

/**
 * What is wrong with the settings of a carrier as a whole. Ranges and forms of single settings are checked by the
 * schema before.
 * @param settings with what was given and what stays
 */
export function findSettingFaults(settings: CarrierSettings, given: GivenSettings): readonly SettingFault[] {
  return rules.flatMap((rule) => rule(settings, given));
}

const isOk: readonly SettingFault[] = [];
const fault = (field: string, message: string): readonly SettingFault[] => [{ field, message }];
const isAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** SMPP 3.4 §5.2.1, §5.2.2: C-octet strings of 16 and 9 octets with their end. CMPP: `SP_Id` has 6 octets. */
const credentials: Rule = ({ protocol, account }, { password }) => {
  const most = protocol === 'smpp' ? { account: 15, password: 8 } : { account: 6, password: 64 };
  const accountIsOk = isAscii(account) && account.length <= most.account;
  const passwordIsOk = password === undefined || (isAscii(password) && password.length <= most.password);
  return [
    ...(accountIsOk
      ? isOk
      : fault('account', `The account must be 1 to ${most.account} visible ASCII characters with ${protocol}.`)),
    ...(passwordIsOk
      ? isOk
      : fault('password', `The password must be 1 to ${most.password} visible ASCII characters with ${protocol}.`)),
  ];
};

const place: Rule = ({ address }) =>
  readCarrierAddress(address) === undefined
    ? fault('address', 'The address must be HOST:PORT, such as smpp.example.com:2775 or [2001:db8::1]:2775.')
    : isOk;

const ownSettings: Rule = (settings, { names }) => {
  const [foreign, other] = settings.protocol === 'smpp' ? [cmppNames, 'CMPP'] : [smppNames, 'SMPP'];
  return foreign
    .filter((name) => names.has(name) && settings[name] !== null)
    .flatMap((name) => fault(name, `${name} is a setting of ${other}. Leave it out with ${settings.protocol}.`));
};

const kindOfBind: Rule = ({ protocol, bind }) =>
  protocol !== 'smpp' && bind === 'pair'
    ? fault('bind', `A connection of ${protocol} has both directions. Leave bind out, or set it to transceiver.`)
    : isOk;

const tlsNames = ['tls_ca', 'tls_name', 'tls_certificate'] as const;

const tlsIsOn: Rule = (settings, { names }) =>
  settings.tls === 'verify'
    ? isOk
    : tlsNames
        .filter((name) => names.has(name) && settings[name] !== null)
        .flatMap((name) => fault(name, `${name} is used with TLS only. Set tls to verify, or leave it out.`));

const tlsName: Rule = ({ tls_name }) =>
  tls_name === null || isHostName(tls_name) ? isOk : fault('tls_name', 'tls_name must be a host name.');

const tlsAuthorities: Rule = ({ tls_ca }, { names }) =>
  tls_ca === null || !names.has('tls_ca') || readCertificates(tls_ca) !== undefined
    ? isOk
    : fault('tls_ca', 'The file of authorities has no certificate in PEM that can be read.');

const tlsCertificate: Rule = ({ tls_certificate: pem }, { names, tlsKey }) => {
  if (!names.has('tls_certificate') && tlsKey === undefined) return isOk;
  if ((pem !== null && names.has('tls_certificate')) !== (tlsKey !== undefined)) {
    return fault(tlsKey === undefined ? 'tls_key' : 'tls_certificate', 'Give tls_certificate and tls_key together.');
  }
  if (pem === null || tlsKey === undefined) return isOk;
  const [own] = readCertificates(pem) ?? [];
  if (own === undefined) return fault('tls_certificate', 'The file has no certificate in PEM that can be read.');
  const key = readKey(tlsKey);
  if (key === undefined) return fault('tls_key', 'The file has no private key in PEM without a password.');
  return own.checkPrivateKey(key)
    ? isOk
    : fault('tls_key', 'The key does not belong to the first certificate of tls_certificate. Give the matching file.');
};

const senderForm: Rule = ({ source_ton: ton, source_npi: npi }) =>
  (ton === null) === (npi === null)
    ? isOk
    : fault(ton === null ? 'source_ton' : 'source_npi', 'Set source_ton and source_npi together, or neither.');

const spans: Rule = ({ response_timeout, keep_alive }) => [
  ...spanFaults('response_timeout', response_timeout, '5m'),
  ...spanFaults('keep_alive', keep_alive, '60m'),
];

function spanFaults(field: string, text: string, most: string): readonly SettingFault[] {
  const ms = spanMs(text);
  return ms >= 100 && ms <= spanMs(most) ? isOk : fault(field, `${field} must be from 100ms to ${most}.`);
}

const statusLists: Rule = ({ temporary, permanent }) => {
  const twice = (temporary ?? []).filter((status) =>
    (permanent ?? []).some((other) => Number(other) === Number(status)),
  );
  return [
    ...twice.flatMap((status) => fault('permanent', `${status} is named as temporary, too. Name it once.`)),
    ...(['temporary', 'permanent'] as const)
      .filter((name) => [temporary, permanent][name === 'temporary' ? 0 : 1]?.some((status) => Number(status) === 0))
      .flatMap((name) => fault(name, '0x0 means success. Leave it out.')),
  ];
};

const plainTexts: Rule = ({ system_type, service_id, enterprise_code }) =>
  Object.entries({ system_type, service_id, enterprise_code })
    .filter(([, text]) => text !== null && !isAscii(text))
    .flatMap(([name]) => fault(name, `${name} must be visible ASCII characters.`));

const rules: readonly Rule[] = [
  ...[credentials, place, ownSettings, kindOfBind],
  ...[tlsIsOn, tlsName, tlsAuthorities, tlsCertificate],
  ...[senderForm, spans, statusLists, plainTexts],
];

function readCertificates(pem: string): readonly X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const read = blocks.map((block) => new X509Certificate(block));
    return read.length === 0 ? undefined : read;
  } catch {
    return undefined;
  }
}

function readKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
