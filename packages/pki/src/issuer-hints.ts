import { children, context, contextPrimitive, type DerElement, DerFields, inner, readDer } from './der/der.ts';
import { objectIdentifier, octets } from './der/der-values.ts';
import { Unreadable } from './der/unreadable.ts';
import { readName } from './distinguished-name.ts';

/** The hints in a certificate that help find its issuer. Nothing in it is proof. */
export interface IssuerHints {
  /** Where the issuer's certificate can be fetched: the first http and https URLs (RFC 5280 §4.2.2.1). */
  readonly issuerUrls: readonly string[];
  /** The comparable name of the authority that issued the issuer's certificate (RFC 5280 §4.2.1.1). */
  readonly issuersIssuer: string | undefined;
  /** Which key of the issuer signed, lower-case hex. */
  readonly issuerKeyId: string | undefined;
  /** The name of its own key (RFC 5280 §4.2.1.2), lower-case hex. */
  readonly keyId: string | undefined;
}

const hintOids = {
  subjectKeyIdentifier: '2.5.29.14',
  authorityKeyIdentifier: '2.5.29.35',
  authorityInformationAccess: '1.3.6.1.5.5.7.1.1',
} as const;

const caIssuers = '1.3.6.1.5.5.7.48.2';
/** Authorities name one or two. Each may be asked, so a certificate must not name hundreds. */
const maxUrls = 4;
const maxUrlLength = 1_000;

/** @param extensions the values of a certificate's extensions, by identifier */
export function issuerHints(extensions: ReadonlyMap<string, Buffer>): IssuerHints {
  const keyId = hint(extensions.get(hintOids.subjectKeyIdentifier), (element) => hex(octets(element)));
  const access = hint(extensions.get(hintOids.authorityInformationAccess), readAccess);
  const authority = hint(extensions.get(hintOids.authorityKeyIdentifier), readAuthorityKey);
  return { keyId, issuerUrls: access ?? [], issuersIssuer: authority?.issuersIssuer, issuerKeyId: authority?.keyId };
}

/** OpenSSL takes no issuer whose key has another name than the certificate says, even if the signature verifies. */
export function namesOtherKey(
  { issuerKeyId }: Pick<IssuerHints, 'issuerKeyId'>,
  { keyId }: Pick<IssuerHints, 'keyId'>,
): boolean {
  return issuerKeyId !== undefined && keyId !== undefined && issuerKeyId !== keyId;
}

/** A certificate serves without these extensions, so a malformed one counts as absent. */
function hint<Value>(bytes: Buffer | undefined, read: (element: DerElement) => Value): Value | undefined {
  if (bytes === undefined) return undefined;
  try {
    return read(readDer(bytes));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return undefined;
  }
}

function readAccess(extension: DerElement): string[] {
  const urls: string[] = [];
  for (const description of new DerFields(extension).rest()) {
    const fields = new DerFields(description);
    const method = objectIdentifier(fields.take());
    const location = fields.take();
    const isUrl = method === caIssuers && location.tag === contextPrimitive(6);
    const url = isUrl ? location.content.toString('latin1') : '';
    if (urls.length < maxUrls && isFetchable(url)) urls.push(url);
  }
  return urls;
}

function isFetchable(url: string): boolean {
  if (url.length > maxUrlLength) return false;
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
}

function readAuthorityKey(extension: DerElement): { keyId: string | undefined; issuersIssuer: string | undefined } {
  const fields = new DerFields(extension);
  const keyId = fields.optional(contextPrimitive(0));
  const names = fields.optional(context(1));
  const directoryName = names && children(names).find((name) => name.tag === context(4));
  return {
    keyId: keyId && hex(keyId.content),
    issuersIssuer: directoryName && readName(inner(directoryName)).comparable,
  };
}

const hex = (bytes: Buffer) => bytes.toString('hex');
