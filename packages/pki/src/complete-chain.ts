import { type CertificateFault, certificateFault } from './certificate-fault.ts';
import { chainAsServed } from './chain.ts';
import { ImportBudget, yieldToLoop } from './import-budget.ts';
import { namesOtherKey } from './issuer-hints.ts';
import type { KnownAuthorities } from './known-authorities.ts';
import { fitsAsIssuer, lacksIntermediate, named, shown, standsAbove } from './material-faults.ts';
import { parseMaterial } from './parse-material.ts';
import { maxImportBytes } from './read-import.ts';
import { certificatesPem, readCertificates, type X509 } from './x509.ts';

/** The outcome of a request for an issuer's certificate. */
export type FetchedIssuer =
  | { readonly kind: 'fetched'; readonly bytes: Uint8Array }
  /** Not asked: the URL leads nowhere public. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'too_large' }
  /** Any status but 200. */
  | { readonly kind: 'status'; readonly status: number };

export interface FetchLimits {
  /** For all of it: resolve, connect, answer and body. */
  readonly timeoutMs: number;
  /** The limit of the answer's body. */
  readonly maxBytes: number;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

/** Asks one URL, http or https, once, within the limits. Redirects are not followed. Never rejects. */
export type FetchIssuer = (url: string, limits: FetchLimits) => Promise<FetchedIssuer>;

export interface ChainToComplete {
  /** PEM, leaf first. */
  readonly chain: string;
  /** PEM of the root that was given with it. */
  readonly givenRoot?: string | undefined;
  readonly known: KnownAuthorities;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly fetch: FetchIssuer;
  readonly signal?: AbortSignal | undefined;
}

export type ChainCompletion =
  /** Nothing is missing. */
  | { readonly kind: 'complete' }
  | {
      readonly kind: 'completed';
      /** PEM, leaf first, without the root. */
      readonly chain: string;
      /** How many certificates it is longer. None when only the root above it was found. */
      readonly added: number;
      /** PEM of the root that was found above it and is not known. With it, nothing is missing any more. */
      readonly root: string | undefined;
      /** Why the longer chain still misses an intermediate, if it does. */
      readonly unfinished: CertificateFault | undefined;
    }
  | { readonly kind: 'failed'; readonly fault: CertificateFault };

const maxIssuerBytes = 1024 * 1024;
/** Honest chains need one or two. */
const maxLevels = 16;
const answerLimitMs = 10_000;
/** So many of an answer's certificates are tried. Honest answers have one or two with the name. */
const maxCandidates = 8;

/**
 * Adds the intermediates that are missing from a chain: those that are known, and those that its certificates say where to fetch.
 * A fetched certificate counts only when it has signed the one below it, and may sign. It ends at a known root, or at any
 * root. A chain that still ends at an unknown issuer that cannot be fetched is as complete as it can be, unless
 * something proves that an intermediate is missing there.
 * @throws the reason of `signal`; Unreadable when the chain that was given is damaged
 */
export async function completeChain(input: ChainToComplete): Promise<ChainCompletion> {
  const { known, now } = input;
  const chain = readCertificates(input.chain);
  const [givenRoot] = input.givenRoot === undefined ? [] : readCertificates(input.givenRoot);
  const before = chain.length;
  const asked = { count: 0 };
  let unfinished: CertificateFault | undefined;
  for (;;) {
    const { open } = await chainAsServed(chain, givenRoot, (issuer) => fitsAsIssuer(issuer, now), known);
    if (open === undefined) break;
    const found = (await knownIssuer(open, chain, input)) ?? (await fetchIssuer(open, chain, input, asked));
    if (found === undefined) {
      const fault = certificateFault('certificate', 'issuer_without_url', link(open));
      if (chain.length === before) return { kind: 'failed', fault };
      if (lacksIntermediate(open, known)) unfinished = fault;
      break;
    }
    if ('code' in found) return { kind: 'failed', fault: found };
    if (await isSelfSigned(found)) return completed(chain, before, { root: found });
    if (chain.length - before >= maxLevels) return { kind: 'failed', fault: withoutEnd() };
    chain.push(found);
  }
  return chain.length === before ? { kind: 'complete' } : completed(chain, before, { unfinished });
}

function completed(
  chain: readonly X509[],
  before: number,
  { root, unfinished }: { readonly root?: X509; readonly unfinished?: CertificateFault | undefined },
): ChainCompletion {
  return {
    kind: 'completed',
    chain: certificatesPem(chain),
    added: chain.length - before,
    root: root && certificatesPem([root]),
    unfinished,
  };
}

async function knownIssuer(
  open: X509,
  chain: readonly X509[],
  { known, now }: ChainToComplete,
): Promise<X509 | undefined> {
  const named = known.named(open.issuer.comparable).map(({ certificate }) => certificate);
  const fitting = named.filter((one) => mayFollow(one, chain, now) && !leadsBack(one, chain));
  return firstOf(fitting, (one) => isSigned(open, one));
}

/** Asks its URLs in turn. The first answer that serves is taken, else the first failure is told. */
async function fetchIssuer(
  open: X509,
  chain: readonly X509[],
  input: ChainToComplete,
  asked: { count: number },
): Promise<X509 | CertificateFault | undefined> {
  const { signal = new AbortController().signal } = input;
  const limits = { timeoutMs: answerLimitMs, maxBytes: maxIssuerBytes, signal };
  let failure: CertificateFault | undefined;
  for (const url of open.issuerUrls) {
    if (asked.count >= maxLevels) return withoutEnd();
    asked.count += 1;
    const { host } = new URL(url);
    const answer = await input.fetch(url, limits);
    signal.throwIfAborted();
    const isFetched = answer.kind === 'fetched';
    const found = isFetched ? await issuerIn(answer.bytes, open, chain, host, input) : notFetched(answer, open, host);
    if (!('code' in found)) return found;
    failure ??= found;
  }
  return failure;
}

/** The issuer among the certificates of an answer: DER, PEM or PKCS#7. */
async function issuerIn(
  bytes: Uint8Array,
  open: X509,
  chain: readonly X509[],
  host: string,
  { known, now }: ChainToComplete,
): Promise<X509 | CertificateFault> {
  const { certificates } = await parseMaterial(bytes, undefined, new ImportBudget(0));
  if (certificates.length === 0) return ofAnswer('issuer_not_readable', open, host);
  const signers: X509[] = [];
  for (const one of likelyIssuers(certificates, open)) if (await isSigned(open, one)) signers.push(one);
  if (signers.length === 0) return certificateFault('certificate', 'issuer_of_another', { ...link(open), host });
  const onwards = signers.filter((one) => !leadsBack(one, chain));
  if (onwards.length === 0) return ofAnswer('issuers_in_circle', open, host);
  const fitting = onwards.filter((one) => mayFollow(one, chain, now));
  const underKnown = await firstOf(fitting, (one) => isUnderKnownRoot(one, known));
  const issuer = underKnown ?? (await firstOf(fitting, isSelfSigned)) ?? fitting[0];
  if (issuer === undefined) return ofAnswer('issuer_unfit', open, host);
  const isTooLong = certificatesPem([...chain, issuer]).length > maxImportBytes;
  return isTooLong ? tooLarge(open, host, maxImportBytes) : issuer;
}

function mayFollow(issuer: X509, chain: readonly X509[], now: number): boolean {
  return fitsAsIssuer(issuer, now) && standsAbove(issuer, chain.slice(1));
}

/** Whether the chain has this authority already, be it by another of its certificates. */
function leadsBack(issuer: X509, chain: readonly X509[]): boolean {
  return chain.some(
    ({ subject, keyObject }) =>
      subject.comparable === issuer.subject.comparable &&
      issuer.keyObject !== undefined &&
      keyObject?.equals(issuer.keyObject),
  );
}

/** The candidates with the name; those whose key id is the one looked for come first. */
function likelyIssuers(certificates: readonly X509[], open: X509): readonly X509[] {
  const named = certificates.filter(
    (one) => one.subject.comparable === open.issuer.comparable && !namesOtherKey(open, one),
  );
  const [withKeyId, others] = [named.filter(({ keyId }) => keyId), named.filter(({ keyId }) => !keyId)];
  return [...withKeyId, ...others].slice(0, maxCandidates);
}

async function isUnderKnownRoot(one: X509, known: KnownAuthorities): Promise<boolean> {
  const roots = known.named(one.issuer.comparable).filter(({ isRoot }) => isRoot);
  return (await firstOf(roots, ({ certificate }) => isSigned(one, certificate))) !== undefined;
}

const isSelfSigned = async (one: X509) =>
  one.subject.comparable === one.issuer.comparable && (await isSigned(one, one));

/** A stranger chooses what a verification costs, so other work goes first. */
async function isSigned(certificate: X509, issuer: X509): Promise<boolean> {
  if (namesOtherKey(certificate, issuer)) return false;
  await yieldToLoop();
  return certificate.isSignedBy(issuer);
}

async function firstOf<Item>(
  items: readonly Item[],
  holds: (item: Item) => Promise<boolean>,
): Promise<Item | undefined> {
  for (const item of items) if (await holds(item)) return item;
  return undefined;
}

function notFetched(answer: Exclude<FetchedIssuer, { kind: 'fetched' }>, open: X509, host: string): CertificateFault {
  switch (answer.kind) {
    case 'blocked':
      return ofAnswer('issuer_at_blocked_address', open, host);
    case 'timed_out':
      return ofAnswer('issuer_not_in_time', open, host);
    case 'unreachable':
      return ofAnswer('issuer_unreachable', open, host);
    case 'too_large':
      return tooLarge(open, host, maxIssuerBytes);
    case 'status': {
      const parameters = { issuer: shown(open.issuer.text), host, status: answer.status };
      return certificateFault('certificate', 'issuer_not_answered', parameters);
    }
  }
}

const link = (open: X509) => ({ ...named(open), issuer: shown(open.issuer.text) });

type AnswerCode =
  | 'issuer_at_blocked_address'
  | 'issuer_not_in_time'
  | 'issuer_unreachable'
  | 'issuer_not_readable'
  | 'issuer_unfit'
  | 'issuers_in_circle';

const ofAnswer = (code: AnswerCode, open: X509, host: string) =>
  certificateFault('certificate', code, { issuer: shown(open.issuer.text), host });

const tooLarge = (open: X509, host: string, most: number) =>
  certificateFault('certificate', 'issuer_too_large', { issuer: shown(open.issuer.text), host, most: most / 1024 });

const withoutEnd = () => certificateFault('certificate', 'issuers_without_end', { most: maxLevels });
