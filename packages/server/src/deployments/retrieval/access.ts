import type { DownloadType } from '@waxwing/contract/retrieval-api.ts';
import type { Credential } from '../../http/request/credential.ts';
import type { IpAddress } from '../../http/request/ip-address.ts';
import type { AllowList } from '../../http/request/ip-allow-list.ts';
import { hasPassed } from '../../runtime/clock.ts';
import type { ProblemCode } from '../../runtime/problem.ts';

/** What is known of the presented token; the caller looks it up by the token's hash. Times are epoch milliseconds. */
export interface TokenFacts<Version extends VersionFacts = VersionFacts> {
  readonly disabled: boolean;
  /** The token stops being valid at this moment; null: never by itself. */
  readonly expiresAt: number | null;
  readonly organizationSuspended: boolean;
  /** Undefined: a token of another kind (messaging, management). */
  readonly deployment: DeploymentFacts<Version> | undefined;
}

export interface DeploymentFacts<Version extends VersionFacts = VersionFacts> {
  readonly enabled: boolean;
  /** Whether it has deployment permission. */
  readonly permitted: boolean;
  /** Whether it takes its token from the query parameter `key`. */
  readonly queryToken: boolean;
  readonly expiresAt: number | null;
  readonly allowList: AllowList;
  /** Undefined: the certificate is gone. */
  readonly certificate: CertificateFacts<Version> | undefined;
}

export interface CertificateFacts<Version extends VersionFacts = VersionFacts> {
  /** Neither pending, failed nor revoked. */
  readonly issued: boolean;
  readonly current: Version | undefined;
  /** The version before the current one. Needed only when the request asks for it by its id. */
  readonly former: Version | undefined;
}

export interface VersionFacts {
  readonly id: string;
  readonly revoked: boolean;
}

export interface AccessRequest {
  readonly credential: Credential;
  /** Undefined when it could not be determined: such a client is on no allow-list. */
  readonly address: IpAddress | undefined;
  /** Every value of the parameter `version`. */
  readonly versions: readonly string[];
  /** Every value of the parameter `type`; undefined where there is no such parameter (/api/certificate). */
  readonly types: readonly string[] | undefined;
}

export type AccessDecision<Version extends VersionFacts = VersionFacts> =
  | { readonly allow: true; readonly version: Version; readonly type: DownloadType }
  | { readonly allow: false; readonly deny: RefusalCode };

export type RefusalCode = Extract<
  ProblemCode,
  | 'missing_token'
  | 'invalid_token'
  | 'token_not_permitted'
  | 'address_not_allowed'
  | 'certificate_not_found'
  | 'invalid_download_type'
>;

/**
 * Whether a certificate may leave, and which version of it. The checks stand in the order of the error table, and
 * the first that fails answers.
 *
 * - `key` in the URL counts as not supplied where the deployment has switched it off, so that is the first check too.
 * - `version` names the current version or the one before it. Anything else is not found: another id, an empty one, the
 *   parameter given twice. A revoked current version is not replaced by the former one unless that is asked for.
 * - `type` is `certificate` when absent; empty, unknown and repeated values are invalid.
 *
 * @param facts undefined when nobody knows the token
 * @param now epoch milliseconds
 */
export function access<Version extends VersionFacts>(
  facts: TokenFacts<Version> | undefined,
  request: AccessRequest,
  now: number,
): AccessDecision<Version> {
  const { credential } = request;
  const deployment = facts?.deployment;
  if (credential.kind === 'none') return deny('missing_token');
  if (credential.kind === 'ambiguous') return deny('invalid_token');
  if (credential.source === 'query' && deployment?.queryToken === false) return deny('missing_token');
  if (facts === undefined || !isValid(facts, now)) return deny('invalid_token');
  if (!deployment?.permitted) return deny('token_not_permitted');
  if (!deployment.allowList.allows(request.address)) return deny('address_not_allowed');
  const version = findVersion(deployment.certificate, request.versions);
  if (version === undefined) return deny('certificate_not_found');
  const type = request.types === undefined ? 'certificate' : downloadType(request.types);
  return type === undefined ? deny('invalid_download_type') : { allow: true, version, type };
}

function deny(code: RefusalCode): { readonly allow: false; readonly deny: RefusalCode } {
  return { allow: false, deny: code };
}

function isValid({ disabled, expiresAt, organizationSuspended, deployment }: TokenFacts, now: number): boolean {
  if (disabled || organizationSuspended || hasPassed(expiresAt, now)) return false;
  return deployment === undefined || (deployment.enabled && !hasPassed(deployment.expiresAt, now));
}

function findVersion<Version extends VersionFacts>(
  certificate: CertificateFacts<Version> | undefined,
  asked: readonly string[],
): Version | undefined {
  if (!certificate?.issued || asked.length > 1) return undefined;
  const { current, former } = certificate;
  const id = asked[0];
  const version = id === undefined || id === current?.id ? current : former?.id === id ? former : undefined;
  return version?.revoked ? undefined : version;
}

function downloadType(types: readonly string[]): DownloadType | undefined {
  if (types.length === 0) return 'certificate';
  const [type] = types;
  return types.length === 1 && (type === 'certificate' || type === 'key') ? type : undefined;
}
