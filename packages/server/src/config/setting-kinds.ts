import { isIP } from 'node:net';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { SecretText } from '../runtime/secret-text.ts';

/** How a setting's text is read and shown. */
export interface Kind<Value> {
  /** What is accepted. Completes the sentence "must be …". */
  readonly form: string;
  /** @param folder the start of relative paths. @throws InvalidSetting with the fault and the remedy */
  parse(text: string, folder: string): Value;
  /** The value without secrets, in the form that `parse` accepts. */
  show(value: Value): string;
}

/** The text of a setting is refused. The message never repeats a secret. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting';
}

/** Port 0 means any free port. */
export interface ListenAddress {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

export const listenAddress: Kind<ListenAddress> = {
  form: 'host:port, or [IPv6 address]:port',
  parse(text) {
    const [, ipv6, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]\s/]+)):(\d{1,5})$/.exec(text) ?? [];
    const host = ipv6 ?? name;
    const port = Number(digits);
    if (host === undefined || port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6)) {
      throw new InvalidSetting('must be host:port, for example 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080');
    }
    return { host, port };
  },
  show: ({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`),
};

export const filePath: Kind<string> = {
  form: 'a path; a relative one starts at the working directory',
  parse: (text, folder) => resolve(folder, text),
  show: (value) => value,
};

export const databaseUrl: Kind<SecretText> = {
  form: 'postgres://user:password@host:port/database',
  parse(text) {
    const url = URL.parse(text);
    if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
      throw new InvalidSetting(
        'must be postgres://user:password@host:port/database (with special characters of the password ' +
          'percent-encoded), or empty for the embedded SQLite database',
      );
    }
    return new SecretText(text);
  },
  show: (value) => maskPassword(value.reveal()),
};

/** A connection URL with its password masked, wherever the driver accepts one. */
function maskPassword(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const name of [...url.searchParams.keys()]) {
    if (/password|secret|token/i.test(name)) url.searchParams.set(name, '***');
  }
  return url.href;
}

export const baseUrl: Kind<string> = {
  form: 'http:// or https://, a host, and a port unless it is the default',
  parse(text) {
    const url = URL.parse(text);
    if (url === null || !['http:', 'https:'].includes(url.protocol)) {
      throw new InvalidSetting('must be a URL such as https://waxwing.example.com');
    }
    if (url.username !== '' || url.password !== '') throw new InvalidSetting('must not contain a user or password');
    if (url.pathname !== '/' || /[?#]/.test(text)) {
      throw new InvalidSetting(`must end after the host and port: write ${url.origin}`);
    }
    return url.origin;
  },
  show: (value) => value,
};

/** Networks as canonical CIDR texts, for example `10.0.0.0/8` or `::1/128`. */
export const networks: Kind<readonly string[]> = {
  form: 'addresses or CIDR networks, separated by commas',
  parse: (text) => (text === '' ? [] : [...new Set(listItems(text).map(canonicalNetwork))]),
  show: (value) => value.join(','),
};

function canonicalNetwork(text: string): string {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0 || rest.length > 0) {
    throw new InvalidSetting(`"${text}" is not an address or network such as 10.0.0.5 or 10.0.0.0/8`);
  }
  const widest = family === 4 ? 32 : 128;
  const bits = prefix === undefined ? widest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(bits <= widest)) throw new InvalidSetting(`"${text}" must have a prefix length from 1 to ${widest}`);
  if (bits === 0) throw new InvalidSetting(`"${text}" means every address; name the networks`);
  const type = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const base = type.networkAddressFromCIDR(`${address}/${bits}`);
  if (base.toString() !== ipaddr.parse(address).toString()) {
    throw new InvalidSetting(`"${text}" has bits set after its prefix; write ${base}/${bits}`);
  }
  // IPv4-mapped clients are compared as IPv4, so their network must be IPv4, too.
  if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits > 96) {
    return `${base.toIPv4Address()}/${bits - 96}`;
  }
  return `${base}/${bits}`;
}

export const zoneName: Kind<string> = {
  form: 'a domain name, such as acme.example.com',
  parse(text) {
    const name = text.toLowerCase().replace(/\.$/, '');
    const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
    // A label of ours comes before it.
    if (new RegExp(`^${label}(?:\\.${label})+$`).test(name) && name.length <= 220) return name;
    throw new InvalidSetting('must be a domain name such as acme.example.com');
  },
  show: (value) => value,
};

export const timeZone: Kind<string> = {
  form: 'an IANA time zone name',
  parse(text) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: text });
    } catch {
      throw new InvalidSetting('must be an IANA time zone name, for example UTC, Europe/Paris or Asia/Shanghai');
    }
    // Intl also takes offsets such as +08:00, which are not zone names.
    if (/^[+-]/.test(text)) throw new InvalidSetting('must be a zone name such as Asia/Shanghai, not an offset');
    return text;
  },
  show: (value) => value,
};

export function oneOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    form: words.join(', ').replace(/, ([^,]+)$/, ' or $1'),
    parse: (text) => knownWord(text, words),
    show: (value) => value,
  };
}

export function someOf<const Word extends string>(...words: readonly Word[]): Kind<readonly Word[]> {
  return {
    form: `one or more of ${words.join(', ')}, separated by commas`,
    parse: (text) => [...new Set(listItems(text).map((item) => knownWord(item, words)))],
    show: (value) => value.join(','),
  };
}

function knownWord<Word extends string>(text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new InvalidSetting(`"${text}" is not one of ${words.join(', ')}`);
  return word;
}

export function plainText(longest: number): Kind<string> {
  return {
    form: `1 to ${longest} characters`,
    parse(text) {
      if (text === '' || text.length > longest) throw new InvalidSetting(`must have 1 to ${longest} characters`);
      return text;
    },
    show: (value) => value,
  };
}

/** Each word once, as written. */
export const words: Kind<readonly string[]> = {
  form: 'words, separated by commas',
  parse: (text) => (text === '' ? [] : [...new Set(listItems(text))]),
  show: (value) => value.join(','),
};

/** For lists with a default: an empty value counts as absent, so a word stands for none. */
export const wordsOrNone: Kind<readonly string[]> = {
  form: `${words.form}, or none`,
  parse: (text, folder) => (text === 'none' ? [] : words.parse(text, folder)),
  show: (value) => (value.length === 0 ? 'none' : words.show(value)),
};

/** A mail server. Without a user it takes mail from us as we are. */
export interface SmtpServer {
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
}

export const smtpUrl: Kind<SmtpServer> = {
  form: 'smtp://USER@HOST:PORT or smtps://USER@HOST:PORT; without USER@ where the server asks for no sign-in',
  parse(text) {
    const url = URL.parse(text);
    const secure = url?.protocol === 'smtps:';
    if (url === null || !(secure || url.protocol === 'smtp:') || url.hostname === '' || /[?#]/.test(text)) {
      throw new InvalidSetting('must be smtp://USER@HOST:PORT or smtps://USER@HOST:PORT');
    }
    if (url.password !== '')
      throw new InvalidSetting('must not contain a password; put it into WAXWING_SMTP_PASSWORD_FILE');
    if (!['', '/'].includes(url.pathname)) throw new InvalidSetting('must end after the host and port');
    const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
    if (port === 0) throw new InvalidSetting('must have a port from 1 to 65535');
    return { secure, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, user: userOf(url) };
  },
  show({ secure, host, port, user }) {
    const before = user === undefined ? '' : `${encodeURIComponent(user)}@`;
    return `${secure ? 'smtps' : 'smtp'}://${before}${host.includes(':') ? `[${host}]` : host}:${port}`;
  },
};

function userOf({ username }: URL): string | undefined {
  if (username === '') return undefined;
  try {
    return decodeURIComponent(username);
  } catch {
    throw new InvalidSetting('must have a user in percent-encoding: write % as %25');
  }
}

/** An address for `From`, with or without a name. */
export const mailSender: Kind<string> = {
  form: 'an email address, or NAME <ADDRESS>',
  parse(text) {
    const address = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(text)?.[1] ?? text;
    if (text.length > 320 || !/^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u.test(address)) {
      throw new InvalidSetting('must be an address such as waxwing@example.com, or Waxwing <waxwing@example.com>');
    }
    return text;
  },
  show: (value) => value,
};

/** A secret, as given. */
export const secret: Kind<SecretText> = {
  form: 'a secret text',
  parse: (text) => new SecretText(text),
  show: () => '***',
};

/** The server believes every word of the identity provider, so the connection must be HTTPS. */
export const issuerUrl: Kind<string> = {
  form: 'https://, a host and a path as the provider names it',
  parse(text) {
    const url = URL.parse(text);
    const isLoopback = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
    const isPlain = url !== null && [url.search, url.hash, url.username, url.password].every((part) => part === '');
    if (!isPlain || !(url.protocol === 'https:' || isLoopback)) {
      throw new InvalidSetting("must be the provider's issuer, an https:// URL without user, query or fragment");
    }
    return text;
  },
  show: (value) => value,
};

/** What values of a claim grant. Separated by semicolons, because such values may contain commas. */
export const claimRules: Kind<readonly string[]> = {
  form: 'VALUE=operator or VALUE=ORGANIZATION_ID/ROLE, separated by semicolons',
  parse(text) {
    const entries = text === '' ? [] : text.split(';').map((entry) => entry.trim());
    const wrong = entries.find(
      (entry) => !/^.+=(?:operator|[0-9A-Za-z_-]{1,64}\/(?:owner|admin|developer|viewer))$/.test(entry),
    );
    if (wrong === undefined) return entries;
    throw new InvalidSetting(
      `has the entry "${wrong}"; write VALUE=operator or VALUE=ORGANIZATION_ID/ROLE with the role owner, admin, developer or viewer`,
    );
  },
  show: (value) => value.join('; '),
};

function listItems(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new InvalidSetting('has an empty entry; separate the entries by single commas');
  return items;
}

export function wholeNumber(least: number, most: number): Kind<number> {
  const form = `a whole number from ${least} to ${most}`;
  return {
    form,
    parse: (text) => within(/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN, least, most, form),
    show: String,
  };
}

export const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parsed to milliseconds. */
export function duration(least: string, most: string): Kind<number> {
  const form = `a duration from ${least} to ${most} (ms, s, m, h or d)`;
  const read = (text: string): number => numberWithUnit(text, /^(\d{1,12})(ms|s|m|h|d)$/, durationUnits);
  return {
    form,
    parse: (text) => within(read(text), read(least), read(most), form),
    show: (value) => withUnit(value, durationUnits),
  };
}

/** Ascending, parsed to milliseconds: one to `count`. */
export function durations(least: string, most: string, count: number): Kind<readonly number[]> {
  const one = duration(least, most);
  return {
    form: `1 to ${count} durations from ${least} to ${most} (ms, s, m, h or d), separated by commas`,
    parse(text, folder) {
      const items = listItems(text);
      if (items.length > count) throw new InvalidSetting(`must be at most ${count} durations`);
      return items.map((item) => one.parse(item, folder));
    },
    show: (value) => value.map(one.show).join(','),
  };
}

const sizeUnits = { B: 1, KiB: 1024, MiB: 1_048_576 } as const;

export function size(least: string, most: string): Kind<number> {
  const form = `a size from ${least} to ${most} (B, KiB or MiB)`;
  const read = (text: string): number => numberWithUnit(text, /^(\d{1,12}) ?(B|KiB|MiB)$/, sizeUnits);
  return {
    form,
    parse: (text) => within(read(text), read(least), read(most), form),
    show: (value) => withUnit(value, sizeUnits),
  };
}

/** NaN for another form, so that one message serves both faults. */
function numberWithUnit(text: string, form: RegExp, units: Readonly<Record<string, number>>): number {
  const [, digits, unit] = form.exec(text) ?? [];
  return Number(digits) * (units[unit ?? ''] ?? Number.NaN);
}

/** In the largest unit that gives a whole number. */
export function withUnit(value: number, units: Readonly<Record<string, number>>): string {
  const fitting = Object.entries(units).filter(([, factor]) => value % factor === 0);
  const [unit, factor] = fitting.at(-1) ?? ['', 1];
  return `${value / factor}${unit}`;
}

function within(value: number, least: number, most: number, form: string): number {
  if (value >= least && value <= most) return value;
  throw new InvalidSetting(`must be ${form}`);
}
