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
  networks,
  oneOf,
  plainText,
  secret,
  size,
  someOf,
  timeZone,
  wholeNumber,
  words,
  wordsOrNone,
} from './setting-kinds.ts';

/** What a derived default may depend on. */
export interface Basis {
  readonly data: string;
  readonly listen: ListenAddress;
  readonly tls: boolean;
}

/** A default that follows from other settings, and how the documentation says so. */
interface DerivedDefault {
  readonly words: string;
  readonly from: (basis: Basis) => string;
}

export interface Setting<Value> {
  readonly kind: Kind<Value>;
  /** The text that counts when the setting is not given. */
  readonly standard: string | DerivedDefault;
  /** For the documentation: whole sentences. */
  readonly sentence: string;
}

/** A setting without a default: its value is undefined when it is not given. */
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

/**
 * Every setting there is. The key of the loaded value is the name without its prefix, in camel case:
 * `WAXWING_TIME_ZONE` is `settings.timeZone`. Durations are milliseconds and sizes are bytes there.
 */
export const settingTable = {
  WAXWING_LISTEN: setting(listenAddress, '127.0.0.1:8080', 'Where the service listens. Port 0 takes any free port.'),
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
    'The file of the master key that seals private keys. Keep a copy away from the database: without it they are lost.',
  ),
  WAXWING_BASE_URL: setting(
    baseUrl,
    {
      words: '`http://localhost:` and the port of `WAXWING_LISTEN` (`https` with own TLS)',
      from: ({ listen, tls }) => `${tls ? 'https' : 'http'}://localhost:${listen.port}`,
    },
    'Where people and servers reach the service, without a path. Passkeys need a name here, not an address.',
  ),
  WAXWING_TRUSTED_PROXIES: setting(
    networks,
    '',
    'The reverse proxies whose `X-Forwarded-For` is believed. Empty means none: the peer of the connection counts.',
  ),
  WAXWING_TIME_ZONE: setting(timeZone, 'UTC', 'The time zone of `expires_at` in the retrieval interface.'),
  WAXWING_TLS_CERTIFICATE: optional(
    filePath,
    'The PEM file of the certificate chain for own HTTPS, leaf first. Read again when it changes.',
  ),
  WAXWING_TLS_KEY: optional(
    filePath,
    'The PEM file of the private key for own HTTPS. Goes with `WAXWING_TLS_CERTIFICATE`.',
  ),
  WAXWING_PLAIN_HTTP: setting(
    oneOf('refuse', 'allow'),
    'refuse',
    'Whether to listen on a public address without TLS and without trusted proxies. Private keys would travel in clear.',
  ),
  WAXWING_MODULES: setting(
    someOf('certificates', 'messaging'),
    'certificates,messaging',
    'The halves of the service that are switched on.',
  ),
  WAXWING_LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'The least severe lines that are logged.',
  ),
  WAXWING_LOG_FORMAT: setting(
    oneOf('auto', 'json', 'text'),
    'auto',
    'How log lines are written; `auto` is text on a terminal and JSON elsewhere.',
  ),
  WAXWING_METRICS_LISTEN: optional(
    listenAddress,
    'Where Prometheus metrics are served, without authentication: keep it private. Empty means nowhere.',
  ),
  WAXWING_WRONG_TOKENS_PER_MINUTE: setting(
    wholeNumber(1, 1_000_000),
    '60',
    'How many wrong tokens one client address may present in a minute before it is answered 429.',
  ),
  WAXWING_RETRIEVAL_CACHE: setting(
    wholeNumber(100, 10_000_000),
    '100000',
    'How many deployments are kept in memory at most; and as many messaging keys, and organizations that send.',
  ),
  WAXWING_RETRIEVAL_MEMORY: setting(
    size('1MiB', '65536MiB'),
    '128MiB',
    'How much memory certificates, their sealed keys and allow-lists take at most; what does not fit is read again. Besides, 8 MiB of issuers that certificates share, and 24 MiB of keys of the last five seconds, of 14,000 answers, at most.',
  ),
  WAXWING_RECORDS_WAITING: setting(
    wholeNumber(100, 1_000_000),
    '10000',
    'How many hand-outs may wait for their record to be committed; beyond it they are answered 503.',
  ),
  WAXWING_ACTIVITY_FLUSH: setting(
    duration('100ms', '10m'),
    '5s',
    'How often last-seen times and counts of refusals are written; times of at most 17,000 deployments in a second.',
  ),
  WAXWING_PUSH_RETRY_WAITS: setting(
    durations('10ms', '1d', 20),
    '30s,2m,10m,30m',
    'How long a push waits after each failed attempt, ±20 %; the last one repeats. How many attempts there are, each push setting says.',
  ),
  WAXWING_PUSH_ALLOW_NETWORKS: setting(
    networks,
    '',
    'Networks that pushes may go to although they are not public, for a closed network or a trial. Never an own listener.',
  ),
  WAXWING_PUSH_CONCURRENCY: setting(
    wholeNumber(4, 100_000),
    '2048',
    'How many push attempts run at once at most; it bounds sockets and memory. Slow receivers never hold more than a quarter of it, and many that fail at the same moment find it large enough.',
  ),
  WAXWING_PUSH_SETTING_CONCURRENCY: setting(
    wholeNumber(1, 64),
    '64',
    'How many attempts of one push setting run at once at most; a setting may ask for less.',
  ),
  WAXWING_PUSH_RESEND_RATE: setting(
    wholeNumber(1, 10_000),
    '100',
    'How many pushes of one setting are sent again in a second, when all that failed are.',
  ),
  WAXWING_PUSH_HISTORY_RETENTION: setting(
    duration('1d', '3650d'),
    '30d',
    'How long pushes that have ended, and the log of their attempts, are kept after they were accepted.',
  ),
  WAXWING_PUSH_LEASE: setting(
    duration('2s', '5m'),
    '10s',
    'How long a server that has vanished keeps its share of the pushes from the other servers on the same database.',
  ),
  WAXWING_AUDIT_RETENTION: setting(duration('1d', '36500d'), '400d', 'How long audit records are kept.'),
  WAXWING_DATABASE_POOL: setting(
    wholeNumber(2, 1000),
    '10',
    'How many connections to PostgreSQL one node opens at most, beside the one that watches for changes.',
  ),
  WAXWING_SHUTDOWN_GRACE: setting(
    duration('100ms', '10m'),
    '4s',
    'How long running requests and workers may take to end when the service stops.',
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
    'How many imports of certificates, and exports as PKCS#12, may wait while one is at work; those of one organization a quarter of it. Beyond it they are answered 503.',
  ),
  WAXWING_CONNECTIONS_MAX: setting(
    wholeNumber(10, 1_000_000),
    '10000',
    'How many connections are open at once at most. One more takes the place of the one that has been idle longest.',
  ),
  // Messages
  WAXWING_MESSAGE_VALIDITY: setting(
    duration('1m', '7d'),
    '24h',
    'How long carriers try to deliver a message. What they have not taken by then is UNDELIV.',
  ),
  WAXWING_RECEIPT_GRACE: setting(
    duration('1m', '7d'),
    '24h',
    'How long after the end of its validity the final receipt of a message is waited for. Then it is UNDELIV.',
  ),
  WAXWING_STOP_WORDS: setting(
    wordsOrNone,
    'STOP,STOPALL,STOP ALL,UNSUBSCRIBE,CANCEL,END,QUIT,OPTOUT,OPT OUT,REVOKE,退订,退訂,取消订阅,取消訂閱,拒收,T,TD,R',
    'A reply that is one of these words, and nothing else, ends all messages of the organization to that number. `none` means no word does.',
  ),
  WAXWING_SIMULATOR_SEED: setting(
    plainText(100),
    'waxwing',
    'What the simulator draws its outcomes from: the same seed gives the same outcome for the same number.',
  ),
  WAXWING_SENDS_WAITING: setting(
    wholeNumber(100, 1_000_000),
    '10000',
    'How many send requests may wait for their commit, those to more than ten numbers a twentieth of it; beyond it they are answered 503.',
  ),
  WAXWING_MESSAGE_RETENTION: setting(
    duration('3d', '36500d'),
    '90d',
    'How long messages and replies are kept, counted from their acceptance: at least a day longer than `WAXWING_EVENT_RETENTION`, `WAXWING_MESSAGE_VALIDITY` and `WAXWING_RECEIPT_GRACE` together.',
  ),
  WAXWING_EVENT_RETENTION: setting(
    duration('1d', '36500d'),
    '30d',
    'How long final statuses and replies are listed as events. Cursors older than that are answered 410.',
  ),
  // Accounts
  WAXWING_SESSION_IDLE: setting(duration('5m', '30d'), '12h', 'How long a person stays signed in without using it.'),
  WAXWING_SESSION_LIMIT: setting(
    duration('10m', '90d'),
    '7d',
    'How long a person stays signed in at most, whatever they do.',
  ),
  WAXWING_SESSIONS_PER_ACCOUNT: setting(
    wholeNumber(1, 1_000),
    '50',
    'How many sessions one person may have open. A further sign-in ends the oldest of them.',
  ),
  WAXWING_OIDC_ISSUER: optional(
    issuerUrl,
    'The identity provider (OpenID Connect) by which people may sign in, as it names itself. Empty means there is none.',
  ),
  WAXWING_OIDC_CLIENT_ID: optional(plainText(200), 'How the identity provider names this instance.'),
  WAXWING_OIDC_CLIENT_SECRET: optional(
    secret,
    'What this instance proves itself to the identity provider with. Better given by `WAXWING_OIDC_CLIENT_SECRET_FILE`.',
  ),
  WAXWING_OIDC_CLIENT_SECRET_FILE: optional(
    filePath,
    'The file that holds this secret; white space around it is dropped. Read when the provider is first needed.',
  ),
  WAXWING_OIDC_ALLOWED_DOMAINS: setting(
    words,
    '',
    'The domains of the mail addresses that may sign in by the identity provider, such as example.com. Subdomains do not count.',
  ),
  WAXWING_OIDC_ROLE_CLAIM: setting(plainText(100), 'groups', 'The claim of the ID token whose values give roles.'),
  WAXWING_OIDC_ROLES: setting(
    claimRules,
    '',
    'Which values give which roles. Somebody without an account and without a role is refused; a role is taken back at the next sign-in without its value.',
  ),
  // Management API
  WAXWING_API_REQUESTS_PER_MINUTE: setting(
    wholeNumber(10, 1_000_000),
    '1200',
    'How many requests to the management API one session or management key may make in a minute before it is answered 429.',
  ),
  WAXWING_API_ADDRESS_REQUESTS_PER_MINUTE: setting(
    wholeNumber(10, 10_000_000),
    '6000',
    'How many requests to the management API one client address may make in a minute, whoever they are by, before it is answered 429.',
  ),
  WAXWING_API_BODY_LIMIT: setting(
    size('16KiB', '16MiB'),
    '256KiB',
    'The largest body of a request to the management API that may be long: a list, or a text. Others have 16 KiB, those with a passkey 32 KiB; imports of certificates follow `WAXWING_IMPORT_LIMIT`.',
  ),
  WAXWING_EVENT_STREAMS: setting(
    wholeNumber(1, 100_000),
    '1000',
    'How many event streams one node serves at once. Further ones are answered 503.',
  ),
  WAXWING_EVENT_STREAMS_PER_ACTOR: setting(
    wholeNumber(1, 1_000),
    '10',
    'How many event streams one session or management key may have open on one node. Further ones are answered 429.',
  ),
} as const;

export type SettingName = keyof typeof settingTable;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

type KeyOf<Name extends SettingName> = Name extends `WAXWING_${infer Rest}` ? CamelCase<Rest> : never;

type ValueOf<Name extends SettingName> = (typeof settingTable)[Name] extends Setting<infer Value> ? Value : never;

/** The loaded settings, frozen. */
export type Settings = { readonly [Name in SettingName as KeyOf<Name>]: ValueOf<Name> };

/** `WAXWING_TIME_ZONE` → `timeZone`. */
export function keyOf(name: string): string {
  const words = name.replace(/^WAXWING_/, '').toLowerCase();
  return words.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
