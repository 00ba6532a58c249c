import { nearestName } from './nearest-name.ts';
import { durationUnits, InvalidSetting, withUnit } from './setting-kinds.ts';
import { type Basis, keyOf, type Setting, type SettingName, type Settings, settingTable } from './settings.ts';

/** Variables as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One fault: the variable or option, what is wrong and what to do. Shows no secret. */
export interface SettingProblem {
  readonly name: string;
  readonly message: string;
}

/** One line of `waxwing config`. */
export interface EffectiveSetting {
  readonly name: SettingName;
  /** Passwords are masked. Empty without a value. */
  readonly value: string;
  readonly given: boolean;
}

export type LoadedSettings =
  | { readonly ok: true; readonly settings: Settings; readonly effective: readonly EffectiveSetting[] }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

const dayMs = 86_400_000;

const names = Object.keys(settingTable) as SettingName[];

/** Variables of test runs, which servers of tests inherit. */
const testPrefix = 'WAXWING_TEST_';

/** Settings of a command line that calls a server elsewhere, not of a server. */
const remoteNames: readonly string[] = ['WAXWING_SERVER', 'WAXWING_TOKEN_FILE', 'WAXWING_CA_FILE'];

/**
 * Reads every setting and reports every problem at once: refused values, unknown names, contradictions. An empty value
 * counts as absent. @param folder the start of relative paths
 */
export function loadSettings(environment: Environment, folder: string = process.cwd()): LoadedSettings {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems = unknownNames(environment);
  const read = (name: SettingName, text: string): void => {
    try {
      values[name] = Object.freeze(settingTable[name].kind.parse(text, folder));
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error;
      problems.push({ name, message: error.message });
    }
  };

  const given = (name: SettingName): string => environment[name]?.trim() ?? '';
  for (const name of names) {
    const { standard } = settingTable[name];
    if (given(name) !== '') read(name, given(name));
    else if (typeof standard === 'string') read(name, standard);
  }
  const settled = withKeys(values);
  const basis = basisOf(settled);
  for (const name of names) {
    const { standard } = settingTable[name];
    if (given(name) === '' && typeof standard !== 'string' && basis) read(name, standard.from(basis));
  }
  problems.push(...contradictions(settled));
  if (problems.length > 0) return { ok: false, problems };

  const effective = names.map((name) => ({
    name,
    value: (settingTable[name] as Setting<unknown>).kind.show(values[name]),
    given: given(name) !== '',
  }));
  return { ok: true, settings: Object.freeze(withKeys(values) as Settings), effective };
}

function withKeys(values: Partial<Record<SettingName, unknown>>): Partial<Settings> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [keyOf(name), value]));
}

/** Undefined while one of its settings has a problem: derived defaults would only repeat that. */
function basisOf({ data, listen, tlsCertificate }: Partial<Settings>): Basis | undefined {
  if (data === undefined || listen === undefined) return undefined;
  return { data, listen, tls: tlsCertificate !== undefined };
}

function unknownNames(environment: Environment): SettingProblem[] {
  const isUnknown = (name: string): boolean =>
    name.startsWith('WAXWING_') &&
    !name.startsWith(testPrefix) &&
    !remoteNames.includes(name) &&
    !Object.hasOwn(settingTable, name);
  const unknown = Object.keys(environment).filter((name) => isUnknown(name) && environment[name]);
  return unknown.map((name) => {
    const meant = nearestName(
      name.replace('WAXWING_', ''),
      names.map((known) => known.replace('WAXWING_', '')),
    );
    const hint = meant === undefined ? 'see docs/configuration.md for all names' : `did you mean WAXWING_${meant}?`;
    return { name, message: `is not a setting; ${hint}` };
  });
}

function contradictions(settings: Partial<Settings>): SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (settings.tlsCertificate !== undefined && settings.tlsKey === undefined) {
    problems.push({ name: 'WAXWING_TLS_KEY', message: 'must be set too when WAXWING_TLS_CERTIFICATE is' });
  }
  if (settings.tlsKey !== undefined && settings.tlsCertificate === undefined) {
    problems.push({ name: 'WAXWING_TLS_CERTIFICATE', message: 'must be set too when WAXWING_TLS_KEY is' });
  }
  const { listen, metricsListen } = settings;
  if (metricsListen && listen && metricsListen.port === listen.port && listen.port !== 0) {
    problems.push({ name: 'WAXWING_METRICS_LISTEN', message: 'must have a port other than WAXWING_LISTEN' });
  }
  return [
    ...problems,
    ...challengeContradictions(settings),
    ...retentionContradictions(settings),
    ...signOnContradictions(settings),
    ...mailContradictions(settings),
  ];
}

/** Listeners for authorities stand beside the others; DNS has ports of its own. */
function challengeContradictions(settings: Partial<Settings>): SettingProblem[] {
  const { listen, metricsListen, http01Listen, tlsAlpnListen, dnsListen, dnsZone } = settings;
  const problems: SettingProblem[] = [];
  const before = [
    { name: 'WAXWING_LISTEN', port: listen?.port },
    { name: 'WAXWING_METRICS_LISTEN', port: metricsListen?.port },
    { name: 'WAXWING_HTTP01_LISTEN', port: http01Listen?.port },
    { name: 'WAXWING_TLS_ALPN_LISTEN', port: tlsAlpnListen?.port },
  ];
  for (const [index, { name, port }] of before.entries()) {
    if (index < 2 || port === undefined || port === 0) continue;
    const other = before.slice(0, index).find((each) => each.port === port);
    if (other !== undefined) problems.push({ name, message: `must have a port other than ${other.name}` });
  }
  if (dnsListen !== undefined && dnsZone === undefined) {
    problems.push({ name: 'WAXWING_DNS_ZONE', message: 'must be set too when WAXWING_DNS_LISTEN is' });
  }
  return problems;
}

/** An event is kept as long as its message, which may be open for its validity and its grace. */
function retentionContradictions(settings: Partial<Settings>): SettingProblem[] {
  const { messageRetention, eventRetention, messageValidity, receiptGrace } = settings;
  if (!messageRetention || !eventRetention || !messageValidity || !receiptGrace) return [];
  const least = eventRetention + messageValidity + receiptGrace + dayMs;
  if (messageRetention >= least) return [];
  const message = `must be at least ${withUnit(least, durationUnits)}: WAXWING_EVENT_RETENTION, WAXWING_MESSAGE_VALIDITY and WAXWING_RECEIPT_GRACE together, and a day more; or shorten the first of these`;
  return [{ name: 'WAXWING_MESSAGE_RETENTION', message }];
}

function mailContradictions({ smtpUrl, smtpPasswordFile, mailFrom }: Partial<Settings>): SettingProblem[] {
  const problems: SettingProblem[] = [];
  const add = (name: SettingName, message: string) => problems.push({ name, message });
  if (smtpUrl !== undefined && mailFrom === undefined) {
    add('WAXWING_MAIL_FROM', 'must be set too when WAXWING_SMTP_URL is');
  }
  if (smtpUrl?.user !== undefined && smtpPasswordFile === undefined) {
    add('WAXWING_SMTP_PASSWORD_FILE', 'must be set too when WAXWING_SMTP_URL has a user');
  }
  if (smtpPasswordFile !== undefined && smtpUrl?.user === undefined) {
    add('WAXWING_SMTP_URL', 'must have a user when WAXWING_SMTP_PASSWORD_FILE is set: smtp://USER@HOST:PORT');
  }
  return problems;
}

/** Single sign-on needs all its settings, and a rule for who may sign in. */
function signOnContradictions(settings: Partial<Settings>): SettingProblem[] {
  if (settings.oidcIssuer === undefined) return [];
  const problems: SettingProblem[] = [];
  const message = 'must be set too when WAXWING_OIDC_ISSUER is';
  if (settings.oidcClientId === undefined) problems.push({ name: 'WAXWING_OIDC_CLIENT_ID', message });
  if (settings.oidcAllowedDomains?.length === 0) problems.push({ name: 'WAXWING_OIDC_ALLOWED_DOMAINS', message });
  if (settings.oidcClientSecret !== undefined && settings.oidcClientSecretFile !== undefined) {
    problems.push({
      name: 'WAXWING_OIDC_CLIENT_SECRET_FILE',
      message: 'cannot be set together with WAXWING_OIDC_CLIENT_SECRET',
    });
  }
  return problems;
}
