import {
  children,
  context,
  contextPrimitive,
  type DerElement,
  DerFields,
  expectTag,
  inner,
  readDer,
  tags,
} from '../der/der.ts';
import { objectIdentifier, octets, smallInteger } from '../der/der-values.ts';
import { damaged, Unreadable, unsupported } from '../der/unreadable.ts';
import type { ImportBudget } from '../import-budget.ts';
import { decryptByPassword, type PasswordForms, passwordForms, wrongPassword } from './pbes.ts';
import { macMatches } from './pkcs12-mac.ts';
import { oids } from './pkcs12-oids.ts';

/** The DER certificates and the private keys (DER PKCS#8) of a PKCS#12 file. Other bags are ignored. */
interface Pkcs12Content {
  readonly certificates: readonly Buffer[];
  readonly keys: readonly Buffer[];
}

const maxBags = 256;
const maxNesting = 4;

interface Opening {
  readonly password: PasswordForms;
  readonly budget: ImportBudget;
  readonly certificates: Buffer[];
  readonly keys: Buffer[];
  bags: number;
}

/** Opens a PKCS#12 file (RFC 7292). Checks its MAC before anything is decrypted. @throws Unreadable */
export async function openPkcs12(
  file: DerElement,
  password: string | undefined,
  budget: ImportBudget,
): Promise<Pkcs12Content> {
  const fields = new DerFields(file);
  if (smallInteger(fields.take()) !== 3) throw unsupported('pkcs12_version');
  const authenticatedSafe = dataContent(fields.take(tags.sequence));
  const macData = fields.optional(tags.sequence);
  fields.end();
  const candidates = passwordCandidates(password);
  if (macData === undefined) return openUnauthenticated(authenticatedSafe, candidates, password, budget);
  for (const candidate of candidates) {
    if (await macMatches(macData, authenticatedSafe, candidate, budget))
      return openSafe(authenticatedSafe, candidate, budget);
  }
  throw notOpened(password);
}

/** Programs write no password as an empty one (a closing zero only) or as none (no octets). Both are tried. */
function passwordCandidates(password: string | undefined): PasswordForms[] {
  const given = passwordForms(password ?? '');
  return password ? [given] : [given, { utf8: given.utf8, pkcs12: Buffer.alloc(0) }];
}

function notOpened(password: string | undefined): Unreadable {
  return password ? wrongPassword() : new Unreadable('password_missing', 'password_missing');
}

/** Without a MAC, a wrong password shows only in the padding or, rarely, in content that does not parse. */
async function openUnauthenticated(
  safe: Buffer,
  candidates: readonly PasswordForms[],
  password: string | undefined,
  budget: ImportBudget,
): Promise<Pkcs12Content> {
  for (const candidate of candidates) {
    try {
      return await openSafe(safe, candidate, budget);
    } catch (error) {
      if (!(error instanceof Unreadable) || error.reason !== 'password_wrong') throw error;
    }
  }
  throw notOpened(password);
}

async function openSafe(safe: Buffer, password: PasswordForms, budget: ImportBudget): Promise<Pkcs12Content> {
  const opening: Opening = { password, budget, certificates: [], keys: [], bags: 0 };
  for (const contentInfo of children(expectTag(readDer(safe, 'ber'), tags.sequence))) {
    await readContents(await safeContents(contentInfo, opening), opening, 0);
  }
  return { certificates: opening.certificates, keys: opening.keys };
}

async function safeContents(contentInfo: DerElement, opening: Opening): Promise<DerElement> {
  const kind = objectIdentifier(new DerFields(contentInfo).take());
  if (kind === oids.data) return readDer(dataContent(contentInfo), 'ber');
  if (kind === oids.encryptedData) return decryptedContents(contentInfo, opening);
  throw unsupported('pkcs12_for_public_key');
}

/** The octets of a ContentInfo of type data (RFC 2315 §7). */
function dataContent(contentInfo: DerElement): Buffer {
  const fields = new DerFields(contentInfo);
  const kind = objectIdentifier(fields.take());
  if (kind !== oids.data) throw unsupported('pkcs12_signed');
  const content = octets(inner(fields.take(context(0))));
  fields.end();
  return content;
}

/** EncryptedData of RFC 2315 §13. */
async function decryptedContents(contentInfo: DerElement, { password, budget }: Opening): Promise<DerElement> {
  const outer = new DerFields(contentInfo);
  outer.take();
  const encryptedData = new DerFields(inner(outer.take(context(0))));
  smallInteger(encryptedData.take());
  const content = new DerFields(encryptedData.take(tags.sequence));
  objectIdentifier(content.take());
  const algorithm = content.take(tags.sequence);
  const ciphertext = octets(content.take(), contextPrimitive(0));
  return parsedPlain(await decryptByPassword(algorithm, ciphertext, password, budget));
}

function parsedPlain(plain: Buffer): DerElement {
  try {
    return readDer(plain, 'ber');
  } catch {
    throw wrongPassword();
  }
}

async function readContents(contents: DerElement, opening: Opening, nesting: number): Promise<void> {
  if (nesting > maxNesting) throw damaged('pkcs12_nested_too_deeply');
  for (const bag of children(expectTag(contents, tags.sequence))) {
    opening.bags += 1;
    if (opening.bags > maxBags) throw damaged('pkcs12_too_many_entries', { most: maxBags });
    await readBag(bag, opening, nesting);
  }
}

async function readBag(bag: DerElement, opening: Opening, nesting: number): Promise<void> {
  const fields = new DerFields(bag);
  const kind = objectIdentifier(fields.take());
  const value = inner(fields.take(context(0)));
  switch (kind) {
    case oids.keyBag:
      opening.keys.push(value.encoded);
      break;
    case oids.shroudedKeyBag:
      opening.keys.push((await decryptKey(value, opening.password, opening.budget)).encoded);
      break;
    case oids.certificateBag: {
      const certificate = new DerFields(value);
      if (objectIdentifier(certificate.take()) === oids.x509Certificate) {
        opening.certificates.push(octets(inner(certificate.take(context(0)))));
      }
      break;
    }
    case oids.safeContentsBag:
      await readContents(value, opening, nesting + 1);
  }
}

/** EncryptedPrivateKeyInfo (RFC 5958 §3) → PrivateKeyInfo. */
async function decryptKey(element: DerElement, password: PasswordForms, budget: ImportBudget): Promise<DerElement> {
  const fields = new DerFields(element);
  const algorithm = fields.take(tags.sequence);
  const ciphertext = octets(fields.take());
  fields.end();
  return parsedPlain(await decryptByPassword(algorithm, ciphertext, password, budget));
}

/** Opens an encrypted PKCS#8 key. @throws Unreadable */
export async function openEncryptedKey(
  element: DerElement,
  password: string | undefined,
  budget: ImportBudget,
): Promise<Buffer> {
  if (!password) throw notOpened(password);
  return (await decryptKey(element, passwordForms(password), budget)).encoded;
}
