import { yieldToLoop } from './import-budget.ts';
import { namesOtherKey } from './issuer-hints.ts';
import { type KnownAuthorities, noKnownAuthorities } from './known-authorities.ts';
import type { X509 } from './x509.ts';

/** A link whose names match, but whose signature does not verify. */
interface BrokenLink {
  readonly certificate: X509;
  readonly issuer: X509;
}

/** A known root above a chain, and the certificate of the chain that it vouches for, by its place from the leaf. */
export interface Anchor {
  readonly root: X509;
  readonly above: number;
}

export interface Chain {
  /** Leaf first, without the root unless that is the leaf. Ends early at a broken link. */
  readonly certificates: readonly X509[];
  /** The self-signed certificate at the end, if given. */
  readonly root: X509 | undefined;
  /** Where a known authority vouches for the chain. What is above that place is for clients with older roots. */
  readonly anchor: Anchor | undefined;
  readonly broken: readonly BrokenLink[];
  /** The certificate whose issuer was neither given nor is known. */
  readonly open: X509 | undefined;
  /** Whether the input has more links to try than any honest chain. */
  readonly tooMany: boolean;
}

/** An honest chain has about three links. Many keys under one name would multiply the work. */
const maxVerifications = 256;
const verificationsPerSlice = 16;

/**
 * Finds the chain from a leaf upwards, by issuer name and by verifying each signature. Of several paths (cross-signed
 * CAs) it prefers certificates that `fits` accepts, then a path to a root that was given or is known, then the shortest
 * to a root or the longest to none. What leads on beyond a known root stays: older clients know another one.
 *
 * Where no signature verifies, it follows the names, to find the faults further up as well.
 * @param given without duplicates; with or without the leaf
 */
export async function buildChain(
  leaf: X509,
  given: readonly X509[],
  fits: (issuer: X509) => boolean,
  known: KnownAuthorities = noKnownAuthorities,
): Promise<Chain> {
  const links = new Links(given, known, fits);
  const path = await soundPath(leaf, links);
  const broken: BrokenLink[] = [];
  const vouched = await anchorOf(path, links);
  if (vouched !== undefined && fits(vouched.root)) return chainOf(path, links, broken, vouched);
  // Follow the names beyond the sound path, so that every further fault is reported.
  for (let top = path.at(-1); top !== undefined && !(await links.isSelfSigned(top)); ) {
    const { verified, named } = await links.issuersOf(top);
    const next = verified.find((issuer) => !path.includes(issuer)) ?? named.find((issuer) => !path.includes(issuer));
    const selfNamed = named.includes(top) && verified.length === 0;
    if (next !== undefined && !verified.includes(next)) broken.push({ certificate: top, issuer: next });
    else if (next === undefined && selfNamed) broken.push({ certificate: top, issuer: top });
    if (next !== undefined) path.push(next);
    top = next;
  }
  return chainOf(path, links, broken, await anchorOf(path, links));
}

/** A chain as it is stored and served: in this order, whatever another one might be better. */
export async function chainAsServed(
  served: readonly X509[],
  givenRoot: X509 | undefined,
  fits: (issuer: X509) => boolean,
  known: KnownAuthorities,
): Promise<Chain> {
  const path = givenRoot === undefined || served.includes(givenRoot) ? [...served] : [...served, givenRoot];
  const links = new Links(path, known, fits);
  const broken: BrokenLink[] = [];
  for (const [at, issuer] of path.slice(1).entries()) {
    const certificate = path[at];
    if (certificate === undefined || (await links.issuersOf(certificate)).verified.includes(issuer)) continue;
    // A root that did not sign the end of the chain says nothing about it.
    if (issuer === givenRoot) path.pop();
    else broken.push({ certificate, issuer });
  }
  return chainOf(path, links, broken, await anchorOf(path, links));
}

async function chainOf(
  path: readonly X509[],
  links: Links,
  broken: readonly BrokenLink[],
  anchor: Anchor | undefined,
): Promise<Chain> {
  const top = path.at(-1);
  const closed = top !== undefined && (await links.isSelfSigned(top));
  const ended = closed || anchor !== undefined || broken.some((link) => link.certificate === top);
  return {
    certificates: closed && path.length > 1 ? path.slice(0, -1) : path,
    root: closed ? top : undefined,
    anchor,
    broken,
    open: ended ? undefined : top,
    tooMany: links.exhausted,
  };
}

/** The first place at which a root that fits vouches for the path, else the first place at which any does. */
async function anchorOf(path: readonly X509[], links: Links): Promise<Anchor | undefined> {
  const anchors: Anchor[] = [];
  for (const [above, certificate] of path.entries()) {
    const root = await links.knownAbove(certificate);
    if (root !== undefined) anchors.push({ root, above });
  }
  return anchors.find(({ root }) => links.fits(root)) ?? anchors[0];
}

/** The path that ends best, and from there on as far as what was given leads. */
async function soundPath(leaf: X509, links: Links): Promise<X509[]> {
  const path = await bestPath(leaf, links, new Set());
  const top = path.at(-1) ?? leaf;
  if ((await links.isSelfSigned(top)) || (await links.knownAbove(top)) === undefined) return path;
  const beyond = await bestPath(top, links, new Set(path));
  return [...path, ...beyond.slice(1)];
}

/**
 * Breadth first over verified links to issuers that fit, up to a given root, or to what a known root vouches for. Each
 * certificate is visited once, so loops end.
 * @param without what the path must not lead through again
 */
async function bestPath(start: X509, links: Links, without: ReadonlySet<X509>): Promise<X509[]> {
  const cameFrom = new Map<X509, X509 | undefined>([[start, undefined]]);
  let last = start;
  let underOldRoot: X509 | undefined;
  let end: X509 | undefined;
  // A Map iterates over entries added meanwhile, so it serves as the queue.
  for (const certificate of cameFrom.keys()) {
    last = certificate;
    const root = without.has(certificate) ? undefined : await links.knownAbove(certificate);
    if ((root !== undefined && links.fits(root)) || (await links.isSelfSigned(certificate))) {
      end = certificate;
      break;
    }
    if (root !== undefined) underOldRoot ??= certificate;
    for (const issuer of (await links.issuersOf(certificate)).verified) {
      if (links.fits(issuer) && !cameFrom.has(issuer) && !without.has(issuer)) cameFrom.set(issuer, certificate);
    }
  }
  const path: X509[] = [];
  for (let at: X509 | undefined = end ?? underOldRoot ?? last; at !== undefined; at = cameFrom.get(at))
    path.unshift(at);
  return path;
}

interface Issuers {
  /** Given certificates whose subject is the certificate's issuer, possibly itself. */
  readonly named: readonly X509[];
  /** The ones among them that signed it. */
  readonly verified: readonly X509[];
}

/** Which certificate signed which, of those given and those known. Each signature is verified at most once. */
class Links {
  readonly fits: (issuer: X509) => boolean;
  readonly #bySubject: ReadonlyMap<string, X509[]>;
  readonly #known: KnownAuthorities;
  readonly #issuers = new Map<X509, Issuers>();
  readonly #knownAbove = new Map<X509, X509 | undefined>();
  #verifications = 0;
  exhausted = false;

  constructor(given: readonly X509[], known: KnownAuthorities, fits: (issuer: X509) => boolean) {
    this.#bySubject = Map.groupBy(given, (certificate) => certificate.subject.comparable);
    this.#known = known;
    this.fits = fits;
  }

  async issuersOf(certificate: X509): Promise<Issuers> {
    const found = this.#issuers.get(certificate);
    if (found !== undefined) return found;
    const named = this.#bySubject.get(certificate.issuer.comparable) ?? [];
    const verified: X509[] = [];
    for (const issuer of named) if (await this.#verify(certificate, issuer)) verified.push(issuer);
    const issuers = { named, verified };
    this.#issuers.set(certificate, issuers);
    return issuers;
  }

  async isSelfSigned(certificate: X509): Promise<boolean> {
    return (await this.issuersOf(certificate)).verified.includes(certificate);
  }

  /**
   * The known authority that vouches for a certificate: itself, or a root that signed it, one that fits first. A known
   * intermediate vouches for itself only where nothing leads on from it.
   */
  async knownAbove(certificate: X509): Promise<X509 | undefined> {
    if (this.#knownAbove.has(certificate)) return this.#knownAbove.get(certificate);
    const roots: X509[] = [];
    for (const { certificate: itself, isRoot } of this.#known.named(certificate.subject.comparable)) {
      if (itself.fingerprint !== certificate.fingerprint) continue;
      if (isRoot || !(await this.#leadsOn(certificate))) roots.push(itself);
    }
    for (const { certificate: root, isRoot } of this.#known.named(certificate.issuer.comparable)) {
      if (isRoot && !namesOtherKey(certificate, root) && (await this.#verify(certificate, root))) roots.push(root);
    }
    const above = roots.find(this.fits) ?? roots[0];
    this.#knownAbove.set(certificate, above);
    return above;
  }

  /** Whether its issuer can be had: fetched, or from those that are known. */
  async #leadsOn(certificate: X509): Promise<boolean> {
    if (certificate.issuerUrls.length > 0) return true;
    for (const { certificate: issuer } of this.#known.named(certificate.issuer.comparable)) {
      if (!namesOtherKey(certificate, issuer) && (await this.#verify(certificate, issuer))) return true;
    }
    return false;
  }

  async #verify(certificate: X509, issuer: X509): Promise<boolean> {
    if (this.#verifications >= maxVerifications) {
      this.exhausted = true;
      return false;
    }
    this.#verifications += 1;
    if (this.#verifications % verificationsPerSlice === 0) await yieldToLoop();
    return certificate.isSignedBy(issuer);
  }
}
