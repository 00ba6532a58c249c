import { createCipheriv, createHash, createHmac, pbkdf2 as pbkdf2Callback } from 'node:crypto';
import { promisify } from 'node:util';
import {
  bmpString,
  constructed,
  integer,
  nullValue,
  objectIdentifier,
  octetString,
  primitive,
  sequence,
  setOf,
} from '../der/der-writer.ts';
import { ImportBudget } from '../import-budget.ts';
import { derivePkcs12, pkcs12Password, pkcs12Purpose } from './pkcs12-kdf.ts';
import { oids } from './pkcs12-oids.ts';

const pbkdf2 = promisify(pbkdf2Callback);

interface Pkcs12Input {
  /** DER, leaf first. */
  readonly certificates: readonly Uint8Array[];
  /** The leaf's, DER PKCS#8. */
  readonly key: Uint8Array;
  readonly password: string;
  /** The entry's name in programs. */
  readonly friendlyName: string;
  /** Returns this many random octets. */
  readonly random: (size: number) => Buffer;
  readonly iterations?: number;
}

/** About a tenth of a second to open the file, and for each guess. */
const defaultIterations = 100_000;

/** A PKCS#12 file (RFC 7292) for OpenSSL 1.1, Java 8u301, Windows Server 2019 and later: AES-256 and SHA-256. */
export async function writePkcs12(input: Pkcs12Input): Promise<Buffer> {
  const [leaf = new Uint8Array(), ...others] = input.certificates;
  const localKeyId = createHash('sha1').update(leaf).digest();
  const attributes = setOf(
    sequence(objectIdentifier(oids.friendlyName), setOf(bmpString(input.friendlyName))),
    sequence(objectIdentifier(oids.localKeyId), setOf(octetString(localKeyId))),
  );
  const certificates = sequence(
    certificateBag(leaf, attributes),
    ...others.map((certificate) => certificateBag(certificate)),
  );
  const key = await encrypted(input, input.key);
  const shroudedKey = bag(oids.shroudedKeyBag, sequence(key.algorithm, octetString(key.ciphertext)), attributes);
  const authenticatedSafe = sequence(await encryptedContent(input, certificates), dataContent(sequence(shroudedKey)));
  return sequence(integer(3), dataContent(authenticatedSafe), await macData(input, authenticatedSafe));
}

function certificateBag(der: Uint8Array, attributes?: Buffer): Buffer {
  const value = sequence(objectIdentifier(oids.x509Certificate), constructed(0, octetString(der)));
  return bag(oids.certificateBag, value, attributes);
}

function bag(kind: string, value: Buffer, attributes?: Buffer): Buffer {
  return sequence(objectIdentifier(kind), constructed(0, value), ...(attributes === undefined ? [] : [attributes]));
}

function dataContent(content: Buffer): Buffer {
  return sequence(objectIdentifier(oids.data), constructed(0, octetString(content)));
}

async function encryptedContent(input: Pkcs12Input, plain: Buffer): Promise<Buffer> {
  const { algorithm, ciphertext } = await encrypted(input, plain);
  const content = sequence(objectIdentifier(oids.data), algorithm, primitive(0, ciphertext));
  return sequence(objectIdentifier(oids.encryptedData), constructed(0, sequence(integer(0), content)));
}

async function encrypted(
  { password, random, iterations = defaultIterations }: Pkcs12Input,
  plain: Uint8Array,
): Promise<{ algorithm: Buffer; ciphertext: Buffer }> {
  const salt = random(16);
  const iv = random(16);
  const key = await pbkdf2(Buffer.from(password, 'utf8'), salt, iterations, 32, 'sha256');
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const hmac = sequence(objectIdentifier(oids.hmacWithSha256), nullValue());
  const derivation = sequence(objectIdentifier(oids.pbkdf2), sequence(octetString(salt), integer(iterations), hmac));
  const scheme = sequence(objectIdentifier(oids.aes256Cbc), octetString(iv));
  return {
    algorithm: sequence(objectIdentifier(oids.pbes2), sequence(derivation, scheme)),
    ciphertext: Buffer.concat([cipher.update(plain), cipher.final()]),
  };
}

async function macData(
  { password, random, iterations = defaultIterations }: Pkcs12Input,
  content: Buffer,
): Promise<Buffer> {
  const salt = random(16);
  const wanted = {
    hash: 'sha256',
    purpose: pkcs12Purpose.mac,
    password: pkcs12Password(password),
    salt,
    iterations,
    length: 32,
  } as const;
  const mac = createHmac('sha256', await derivePkcs12(wanted, new ImportBudget()))
    .update(content)
    .digest();
  const digestInfo = sequence(sequence(objectIdentifier(oids.sha256), nullValue()), octetString(mac));
  return sequence(digestInfo, octetString(salt), integer(iterations));
}
