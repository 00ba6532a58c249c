import {
  baseUrl,
  claimRules,
  databaseUrl,
  duration,
  durations,
  filePath,
  issuerUrl,
  type Kind,
  type ListenAddress,
  listenAddress,
  mailSender,
  networks,
  oneOf,
  plainText,
  secret,
  size,
  smtpUrl,
  someOf,
  timeZone,
  wholeNumber,
  words,
  wordsOrNone,
  zoneName,
} from './setting-kinds.ts';

/** The settings that derived defaults depend on. */
export interface Basis {
  readonly data: string;
  readonly listen: ListenAddress;
  readonly tls: boolean;
}

/** A default that follows from other settings, and its text for the documentation. */
interface DerivedDefault {
  readonly words: string;
  readonly from: (basis: Basis) => string;
}

export interface Setting<Value> {
  readonly kind: Kind<Value>;
  /** The text when the setting is absent. */
  readonly standard: string | DerivedDefault;
  /** Whole sentences for the documentation. */
  readonly sentence: string;
}

/** Undefined when absent. */
function optional<Value>(kind: Kind<Value>, sentence: string): Setting<Value | undefined> {
  const orNothing: Kind<Value | undefined> = {
    form: kind.form,
    parse: (text, folder) => (text === '' ? undefined : kind.parse(text, folder)),
    show: (value) => (value === undefined ? '' : kind.show(value)),
  };
  return { kind: orNothing, standard: '', sentence };
}

function setting<Value>(kind: Kind<Value>, standard: string | DerivedDefault, sentence: string): Setting<Value> {
  return { kind, standard, sentence };
}

/** Every setting. `WAXWING_TIME_ZONE` is loaded as `settings.timeZone`. Durations are milliseconds, sizes are bytes. */
export const settingTable = {
  WAXWING_LISTEN: setting(listenAddress, '127.0.0.1:8080', 'The listen address. Port 0 takes any free port.'),
  WAXWING_DATA: setting(
    filePath,
    './data',
    'The folder of the embedded database, the control socket and the master key.',
  ),
  WAXWING_DATABASE_URL: optional(
    databaseUrl,
    'A PostgreSQL database (15 or newer). Empty means the embedded SQLite database in the data folder.',
  ),
  WAXWING_MASTER_KEY_FILE: setting(
    filePath,
    { words: '`master.key` in the data folder', from: ({ data }) => `${data}/master.key` },
    'The file of the master key that seals private keys. Keep a copy apart from the database: without it they are lost.',
  ),
  WAXWING_BASE_URL: setting(
    baseUrl,
    {
      words: '`http://localhost:` and the port of `WAXWING_LISTEN` (`https` with own TLS)',
      from: ({ listen, tls }) => `${tls ? 'https' : 'http'}://localhost:${listen.port}`,
    },
    'The URL by which people and servers reach the service, without a path. Passkeys need a name here, not an address.',
  ),
  WAXWING_TRUSTED_PROXIES: setting(
    networks,
    '',
    "The reverse proxies whose `X-Forwarded-For` the server trusts. Empty means none: the connection's peer counts.",
  ),
  WAXWING_TIME_ZONE: setting(timeZone, 'UTC', 'The time zone of `expires_at` in the retrieval interface.'),
  WAXWING_TLS_CERTIFICATE: optional(
    filePath,
    "The PEM file of this service's own HTTPS certificate chain, leaf first. Read again when it changes.",
  ),
  WAXWING_TLS_KEY: optional(filePath, 'The PEM file of the private key for `WAXWING_TLS_CERTIFICATE`.'),
  WAXWING_PLAIN_HTTP: setting(
    oneOf('refuse', 'allow'),
    'refuse',
    'Whether to listen on a public address without TLS and without trusted proxies. Private keys would be sent unencrypted.',
  ),
  WAXWING_MODULES: setting(
    someOf('certificates', 'messaging'),
    'certificates,messaging',
    'The enabled parts of the service.',
  ),
  WAXWING_LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'The lowest level that is logged.',
  ),
  WAXWING_LOG_FORMAT: setting(
    oneOf('auto', 'json', 'text'),
    'auto',
    'How log lines are written; `auto` is text on a terminal and JSON elsewhere.',
  ),
  WAXWING_METRICS_LISTEN: optional(
    listenAddress,
    'The listen address of Prometheus metrics. They need no authentication: keep it private. Empty means none.',
  ),
  WAXWING_WRONG_TOKENS_PER_MINUTE: setting(
    wholeNumber(1, 1_000_000),
    '60',
    'How many wrong tokens one client address may send in a minute. Further requests are answered 429.',
  ),
  WAXWING_RETRIEVAL_CACHE: setting(
    wholeNumber(100, 10_000_000),
    '100000',
    'The most deployments in memory, and as many messaging keys and sending organizations.',
  ),
  WAXWING_RETRIEVAL_MEMORY: setting(
    size('1MiB', '65536MiB'),
    '128MiB',
    'How much memory certificates with their sealed keys may take, and deployments with their allow-lists as much again. What does not fit is read when it is asked for. Keys opened in the last five seconds may take 48 MiB more.',
  ),
  WAXWING_RECORDS_WAITING: setting(
    wholeNumber(100, 1_000_000),
    '10000',
    'The most hand-outs that wait for their record to be committed. Further ones are answered 503.',
  ),
  WAXWING_ACTIVITY_FLUSH: setting(
    duration('100ms', '10m'),
    '5s',
    'How often last-seen times and counts of refusals are written; times of at most 17,000 deployments in a second.',
  ),
  WAXWING_PUSH_RETRY_WAITS: setting(
    durations('10ms', '1d', 20),
    '30s,2m,10m,30m',
    'The waits after each failed attempt of a push, ±20 %; the last one repeats. Each push setting has its number of attempts.',
  ),
  WAXWING_PUSH_ALLOW_NETWORKS: setting(
    networks,
    '',
    'Networks that are not public but may receive pushes and alerts, and be asked for certificates of issuers, for a closed network or a trial. Never a listener of this service.',
  ),
  WAXWING_PUSH_CONCURRENCY: setting(
    wholeNumber(4, 100_000),
    '2048',
    'The most push attempts at once, which bounds sockets and memory. Slow receivers never hold more than a quarter of it.',
  ),
  WAXWING_PUSH_SETTING_CONCURRENCY: setting(
    wholeNumber(1, 64),
    '64',
    'The most attempts of one push setting at once. A setting may lower it.',
  ),
  WAXWING_PUSH_RESEND_RATE: setting(
    wholeNumber(1, 10_000),
    '100',
    'How many failed pushes of one setting are sent again in a second, when all of them are.',
  ),
  WAXWING_PUSH_HISTORY_RETENTION: setting(
    duration('1d', '3650d'),
    '30d',
    'How long ended pushes and their attempts are kept after acceptance.',
  ),
  WAXWING_PUSH_LEASE: setting(
    duration('2s', '5m'),
    '10s',
    'How long other servers on the database wait before they take over the pushes of a vanished server.',
  ),
  WAXWING_AUDIT_RETENTION: setting(duration('1d', '36500d'), '400d', 'How long audit records are kept.'),
  WAXWING_DATABASE_POOL: setting(
    wholeNumber(2, 1000),
    '10',
    'The most PostgreSQL connections of one server, beside the one that watches for changes.',
  ),
  WAXWING_SHUTDOWN_GRACE: setting(
    duration('100ms', '10m'),
    '4s',
    'How long a stopping service waits for running requests and workers.',
  ),
  WAXWING_REQUEST_HEADER_LIMIT: setting(
    size('4KiB', '1MiB'),
    '16KiB',
    'The largest request line and headers together.',
  ),
  WAXWING_IMPORT_LIMIT: setting(size('16KiB', '16MiB'), '256KiB', 'The largest certificate material in one import.'),
  WAXWING_IMPORTS_WAITING: setting(
    wholeNumber(8, 1_000),
    '128',
    'The most certificate imports and PKCS#12 exports that wait while one runs, a quarter of them from one organization. Further ones are answered 503.',
  ),
  WAXWING_EXTRA_ROOTS: optional(
    filePath,
    "A PEM file of certification authorities that chains may end at, beside the roots of this machine: a private CA's root, and its intermediates. The certificates of the mail server and of ACME directories may end at them too. Read at the start.",
  ),
  WAXWING_HTTP01_LISTEN: optional(
    listenAddress,
    'The listen address on which authorities check HTTP-01, as a rule `0.0.0.0:80`. It serves nothing but challenges, which the main listener serves as well. Empty means none.',
  ),
  WAXWING_TLS_ALPN_LISTEN: optional(
    listenAddress,
    'The listen address on which authorities check TLS-ALPN-01, as a rule `0.0.0.0:443`. It serves nothing else. Empty means none.',
  ),
  WAXWING_DNS_ZONE: optional(
    zoneName,
    'The zone of managed delegation, delegated to this service: customers set a CNAME from `_acme-challenge` of their domains to a name in it. Empty means none.',
  ),
  WAXWING_DNS_LISTEN: optional(
    listenAddress,
    'The listen address, UDP and TCP, on which `WAXWING_DNS_ZONE` is answered, as a rule `0.0.0.0:53`. Empty means none.',
  ),
  WAXWING_ACME_ALLOW_NETWORKS: setting(
    networks,
    '',
    'Networks that are not public but may hold name servers and what DNS providers of organizations name. Authorities may be anywhere.',
  ),
  WAXWING_CONNECTIONS_MAX: setting(
    wholeNumber(10, 1_000_000),
    '10000',
    'The most open connections. Another one replaces the connection that has been idle longest.',
  ),
  WAXWING_MESSAGE_VALIDITY: setting(
    duration('1m', '7d'),
    '24h',
    'How long carriers try to deliver a message. A message not accepted by then is UNDELIV.',
  ),
  WAXWING_RECEIPT_GRACE: setting(
    duration('1m', '7d'),
    '24h',
    'How long a message waits for its final receipt after the end of its validity. Then it is UNDELIV.',
  ),
  WAXWING_STOP_WORDS: setting(
    wordsOrNone,
    'STOP,STOPALL,STOP ALL,UNSUBSCRIBE,CANCEL,END,QUIT,OPTOUT,OPT OUT,REVOKE,退订,退訂,取消订阅,取消訂閱,拒收,T,TD,R',
    'A reply of exactly one of these words ends all messages of the organization to that number. `none` means no word does.',
  ),
  WAXWING_SIMULATOR_SEED: setting(
    plainText(100),
    'waxwing',
    "The seed of the simulator's outcomes: the same seed gives the same outcome for the same number.",
  ),
  WAXWING_SENDS_WAITING: setting(
    wholeNumber(100, 1_000_000),
    '10000',
    'The most send requests that wait for their commit, a twentieth of them to more than ten numbers. Further ones are answered 503.',
  ),
  WAXWING_MESSAGE_RETENTION: setting(
    duration('3d', '36500d'),
    '90d',
    'How long messages and replies are kept after acceptance: at least a day longer than `WAXWING_EVENT_RETENTION`, `WAXWING_MESSAGE_VALIDITY` and `WAXWING_RECEIPT_GRACE` together.',
  ),
  WAXWING_EVENT_RETENTION: setting(
    duration('1d', '36500d'),
    '30d',
    'How long final statuses and replies are listed as events. Older cursors are answered 410.',
  ),
  WAXWING_SESSION_IDLE: setting(duration('5m', '30d'), '12h', 'How long an unused session lasts.'),
  WAXWING_SESSION_LIMIT: setting(duration('10m', '90d'), '7d', 'How long a session lasts at most.'),
  WAXWING_SESSIONS_PER_ACCOUNT: setting(
    wholeNumber(1, 1_000),
    '50',
    'The most sessions of one person. A further sign-in ends the oldest.',
  ),
  WAXWING_OIDC_ISSUER: optional(
    issuerUrl,
    'The issuer URL of the identity provider (OpenID Connect) for sign-in. Empty means none.',
  ),
  WAXWING_OIDC_CLIENT_ID: optional(plainText(200), 'The client id of this instance at the identity provider.'),
  WAXWING_OIDC_CLIENT_SECRET: optional(
    secret,
    'The client secret of this instance at the identity provider. Better set by `WAXWING_OIDC_CLIENT_SECRET_FILE`.',
  ),
  WAXWING_OIDC_CLIENT_SECRET_FILE: optional(
    filePath,
    'The file of this secret, without surrounding white space. Read when the provider is first needed.',
  ),
  WAXWING_OIDC_ALLOWED_DOMAINS: setting(
    words,
    '',
    'The domains of email addresses that may sign in by the identity provider, such as example.com. Subdomains do not count.',
  ),
  WAXWING_OIDC_ROLE_CLAIM: setting(plainText(100), 'groups', 'The claim of the ID token that gives roles.'),
  WAXWING_OIDC_ROLES: setting(
    claimRules,
    '',
    'Which values give which roles. A person without an account and a role is refused. A sign-in without the value removes the role.',
  ),
  WAXWING_SMTP_URL: optional(
    smtpUrl,
    'The mail server for alerts. `smtps` is TLS from the start; `smtp` uses STARTTLS where the server offers it, and signs in without it on this machine only. Empty means no mail.',
  ),
  WAXWING_SMTP_PASSWORD_FILE: optional(
    filePath,
    'The file of the password for `WAXWING_SMTP_URL`, without its last newline. Read for each mail.',
  ),
  WAXWING_MAIL_FROM: optional(mailSender, 'The sender of mails.'),
  WAXWING_ALERTS: setting(
    oneOf('on', 'off'),
    'on',
    'Whether this server looks for what alerts tell, and sends them. `off` is for the trial of a restore.',
  ),
  WAXWING_ALERT_PUSH_FAILING: setting(
    duration('1m', '24h'),
    '10m',
    'How long pushes to a receiver fail before an alert tells so.',
  ),
  WAXWING_ALERT_CARRIER_DOWN: setting(
    duration('1m', '24h'),
    '5m',
    'How long an enabled carrier has no link before an alert tells so.',
  ),
  WAXWING_ALERT_NOT_FETCHED: setting(
    duration('1m', '365d'),
    '24h',
    'How long a server has not fetched the current version of its certificate before an alert tells so.',
  ),
  WAXWING_ALERT_BACKUP_AGE: optional(
    duration('1h', '365d'),
    'How old the last backup of the embedded database may be before an alert tells so. Empty means that none is planned.',
  ),
  WAXWING_ALERT_EVERY: setting(
    duration('1s', '1h'),
    '1m',
    'How often the service looks for what alerts tell. A look that takes long is followed by a longer rest.',
  ),
  WAXWING_ALERT_RETENTION: setting(duration('1d', '3650d'), '90d', 'How long alerts stay listed.'),
  WAXWING_API_REQUESTS_PER_MINUTE: setting(
    wholeNumber(10, 1_000_000),
    '1200',
    'How many requests to the management API one session or management key may make in a minute. Further ones are answered 429.',
  ),
  WAXWING_API_ADDRESS_REQUESTS_PER_MINUTE: setting(
    wholeNumber(10, 10_000_000),
    '6000',
    'How many requests to the management API one client address may make in a minute. Further ones are answered 429.',
  ),
  WAXWING_API_BODY_LIMIT: setting(
    size('16KiB', '16MiB'),
    '256KiB',
    'The largest long body (a list or a text) of a management API request. Other bodies have 16 KiB, those with a passkey 32 KiB; certificate imports follow `WAXWING_IMPORT_LIMIT`.',
  ),
  WAXWING_EVENT_STREAMS: setting(
    wholeNumber(1, 100_000),
    '1000',
    'The most event streams of one server. Further ones are answered 503.',
  ),
  WAXWING_EVENT_STREAMS_PER_ACTOR: setting(
    wholeNumber(1, 1_000),
    '10',
    'The most event streams of one session or management key on one server. Further ones are answered 429.',
  ),
} as const;

export type SettingName = keyof typeof settingTable;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

type KeyOf<Name extends SettingName> = Name extends `WAXWING_${infer Rest}` ? CamelCase<Rest> : never;

type ValueOf<Name extends SettingName> = (typeof settingTable)[Name] extends Setting<infer Value> ? Value : never;

/** Frozen. */
export type Settings = { readonly [Name in SettingName as KeyOf<Name>]: ValueOf<Name> };

/** `WAXWING_TIME_ZONE` → `timeZone`. */
export function keyOf(name: string): string {
  const words = name.replace(/^WAXWING_/, '').toLowerCase();
  return words.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
