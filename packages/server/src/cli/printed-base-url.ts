import { type Settings, settingTable } from '../config/settings.ts';

/** A server that listens on one of these answers to `localhost`. */
const localhostLeadsTo: readonly string[] = ['localhost', '127.0.0.1', '0.0.0.0', '[::]'];

/**
 * The base URL that the commands of a running server tell people. One that was configured is right by definition; the
 * default says localhost and the configured port, which leads nowhere when that is 0 or localhost is another address.
 * @param listening the URL on which the server really listens
 */
export function printedBaseUrl(settings: Settings, listening: string): string {
  if (settings.baseUrl !== defaultBaseUrl(settings)) return settings.baseUrl;
  const url = new URL(listening);
  if (localhostLeadsTo.includes(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}

function defaultBaseUrl({ data, listen, tlsCertificate }: Settings): string {
  const { kind, standard } = settingTable.WAXWING_BASE_URL;
  if (typeof standard === 'string') return standard;
  return kind.parse(standard.from({ data, listen, tls: tlsCertificate !== undefined }), data);
}
