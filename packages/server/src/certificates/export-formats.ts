import { createPrivateKey, randomBytes } from 'node:crypto';
import { readPem } from '@waxwing/pki/der/pem.ts';
import { writePkcs12 } from '@waxwing/pki/pkcs12/pkcs12-write.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';

export const exportFormats = ['pem', 'pkcs12', 'der'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportedFile {
  /** The requested name and the format's suffix, as a plain file name. */
  readonly name: string;
  readonly bytes: Buffer;
  /** Whether it holds the private key. */
  readonly secret: boolean;
}

interface ExportOptions {
  /** Only for `pkcs12`, which needs it. */
  readonly password?: string;
  /** Usually the first domain. */
  readonly name?: string;
}

/**
 * `pem`: chain (.crt) and key (.key). `der`: leaf (.der) and PKCS#8 key (.key.der). `pkcs12`: all in one (.p12).
 * @throws Problem `invalid_parameter` for `pkcs12` without a password
 */
export async function exportCertificate(
  material: { readonly chain: string; readonly privateKey: SecretText },
  format: ExportFormat,
  options: ExportOptions = {},
): Promise<ExportedFile[]> {
  const stem = fileStem(options.name ?? 'certificate');
  const file = (suffix: string, bytes: Buffer, secret: boolean): ExportedFile => ({
    name: `${stem}${suffix}`,
    bytes,
    secret,
  });
  switch (format) {
    case 'pem':
      return [
        file('.crt', Buffer.from(material.chain), false),
        file('.key', Buffer.from(material.privateKey.reveal()), true),
      ];
    case 'der':
      return [file('.der', leafOf(material.chain), false), file('.key.der', pkcs8Of(material.privateKey), true)];
    case 'pkcs12':
      return [file('.p12', await pkcs12Of(material, options), true)];
  }
}

/** The certificate without its key: `pem` with its chain (.crt), `der` the leaf (.der). */
export function exportChainFile(chain: string, format: 'pem' | 'der', name: string): ExportedFile {
  const isPem = format === 'pem';
  const bytes = isPem ? Buffer.from(chain) : leafOf(chain);
  return { name: `${fileStem(name)}${isPem ? '.crt' : '.der'}`, bytes, secret: false };
}

function pkcs12Of(
  material: { readonly chain: string; readonly privateKey: SecretText },
  { password, name = 'certificate' }: ExportOptions,
): Promise<Buffer> {
  if (!password) {
    throw new Problem('invalid_parameter', {
      field: 'password',
      detail: 'A PKCS#12 file protects the private key by a password; give one.',
    });
  }
  return writePkcs12({
    certificates: readPem(material.chain).blocks.map((block) => block.bytes),
    key: pkcs8Of(material.privateKey),
    password,
    friendlyName: name,
    random: randomBytes,
  });
}

function leafOf(chain: string): Buffer {
  const leaf = readPem(chain).blocks[0];
  if (leaf === undefined) throw new Error('the stored chain holds no certificate');
  return leaf.bytes;
}

function pkcs8Of(privateKey: SecretText): Buffer {
  return createPrivateKey(privateKey.reveal()).export({ type: 'pkcs8', format: 'der' });
}

/** A domain as the retrieval interface's file name: `*.` becomes `_.`, other odd characters `_`. */
function fileStem(name: string): string {
  return name.replace(/^\*\./, '_.').replace(/[^A-Za-z0-9._-]/g, '_');
}
