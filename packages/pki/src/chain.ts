import { yieldToLoop } from './import-budget.ts';
import type { X509 } from './x509.ts';

/** A link whose names match, but whose signature does not verify. */
interface BrokenLink {
  readonly certificate: X509;
  readonly issuer: X509;
}

export interface Chain {
  /** Leaf first, without the root unless that is the leaf. Ends early at a broken link. */
  readonly certificates: readonly X509[];
  /** The self-signed certificate at the end, if given. */
  readonly root: X509 | undefined;
  readonly broken: readonly BrokenLink[];
  /** The certificate whose issuer was not given. */
  readonly open: X509 | undefined;
  /** Whether the input has more links to try than any honest chain. */
  readonly tooMany: boolean;
}

/** An honest chain has about three links. Many keys under one name would multiply the work. */
const maxVerifications = 256;
const verificationsPerSlice = 16;

/**
 * Finds the chain from a leaf upwards, by issuer name and by verifying each signature. Of several paths (cross-signed
 * CAs) it prefers certificates that `fits` accepts, then a path to a given root, then the shortest to a root or the
 * longest to none.
 *
 * Where no signature verifies, it follows the names, to find the faults further up as well.
 * @param given without duplicates; with or without the leaf
 */
export async function buildChain(leaf: X509, given: readonly X509[], fits: (issuer: X509) => boolean): Promise<Chain> {
  const links = new Links(given);
  const path = await soundPath(leaf, links, fits);
  const broken: BrokenLink[] = [];
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
  const top = path.at(-1) ?? leaf;
  const closed = await links.isSelfSigned(top);
  return {
    certificates: closed && path.length > 1 ? path.slice(0, -1) : path,
    root: closed ? top : undefined,
    broken,
    open: closed || broken.some((link) => link.certificate === top) ? undefined : top,
    tooMany: links.exhausted,
  };
}

/** Breadth first over verified links to issuers that fit. Each certificate is visited once, so loops end. */
async function soundPath(leaf: X509, links: Links, fits: (issuer: X509) => boolean): Promise<X509[]> {
  const cameFrom = new Map<X509, X509 | undefined>([[leaf, undefined]]);
  let last = leaf;
  // A Map iterates over entries added meanwhile, so it serves as the queue.
  for (const certificate of cameFrom.keys()) {
    last = certificate;
    if (await links.isSelfSigned(certificate)) break;
    for (const issuer of (await links.issuersOf(certificate)).verified) {
      if (fits(issuer) && !cameFrom.has(issuer)) cameFrom.set(issuer, certificate);
    }
  }
  const path: X509[] = [];
  for (let at: X509 | undefined = last; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

interface Issuers {
  /** Given certificates whose subject is the certificate's issuer, possibly itself. */
  readonly named: readonly X509[];
  /** The ones among them that signed it. */
  readonly verified: readonly X509[];
}

/** Which given certificate signed which. Each signature is verified at most once. */
class Links {
  readonly #bySubject: ReadonlyMap<string, X509[]>;
  readonly #known = new Map<X509, Issuers>();
  #verifications = 0;
  exhausted = false;

  constructor(given: readonly X509[]) {
    this.#bySubject = Map.groupBy(given, (certificate) => certificate.subject.comparable);
  }

  async issuersOf(certificate: X509): Promise<Issuers> {
    const known = this.#known.get(certificate);
    if (known !== undefined) return known;
    const named = this.#bySubject.get(certificate.issuer.comparable) ?? [];
    const verified: X509[] = [];
    for (const issuer of named) if (await this.#verify(certificate, issuer)) verified.push(issuer);
    const issuers = { named, verified };
    this.#known.set(certificate, issuers);
    return issuers;
  }

  async isSelfSigned(certificate: X509): Promise<boolean> {
    return (await this.issuersOf(certificate)).verified.includes(certificate);
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
