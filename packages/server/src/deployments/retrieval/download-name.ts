import { domainToASCII } from 'node:url';
import type { DownloadType } from '@waxwing/contract/retrieval-api.ts';

const extensions: Readonly<Record<DownloadType, string>> = { certificate: 'crt', key: 'key' };

/**
 * The file name of a download without its extension: the first domain in A-label form, `*.` in front as `_.`, and anything outside
 * `[A-Za-z0-9._-]` as `_`, so that no name can leave its folder, break the header or surprise a shell.
 */
export function downloadName(domains: readonly string[]): string {
  const name = toAscii(domains[0] ?? 'certificate').replace(/^\*\./, '_.');
  return name.replace(/[^A-Za-z0-9._-]/g, '_');
}

export function contentDisposition(name: string, type: DownloadType): string {
  return `attachment; filename="${name}.${extensions[type]}"`;
}

/**
 * ASCII names are left alone: domainToASCII knows no IPv6 addresses, and reads a name such as `1.2.3` as the IPv4
 * address 1.2.0.3.
 */
function toAscii(domain: string): string {
  return /^[\x20-\x7e]*$/.test(domain) ? domain : domainToASCII(domain) || domain;
}
