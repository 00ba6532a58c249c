import { createCipheriv, createPrivateKey, type KeyObject, pbkdf2Sync } from 'node:crypto';
import { constructed, integer, nullValue, objectIdentifier, octetString, sequence, setOf } from './der/der-writer.ts';
import { writePem } from './der/pem.ts';
import { oids } from './pkcs12/pkcs12-oids.ts';
import { writePkcs12 } from './pkcs12/pkcs12-write.ts';
import type { ImportFile } from './read-import.ts';
import { makeTrialCa } from './trial-ca.testing.ts';

/** One acceptable import in every form, the same bytes on every run. All passwords are `trial`. */
export interface MaterialSeed {
  readonly name: string;
  readonly files: readonly ImportFile[];
  readonly password?: string;
}

/** A time at which the seeds are valid, epoch milliseconds. */
export const seedTime = Date.UTC(2026, 0, 15);
const seedPassword = 'trial';

export const fixedKeys = {
  ed25519: (fill: number): KeyObject => {
    const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
    return createPrivateKey({ key: Buffer.concat([prefix, Buffer.alloc(32, fill)]), format: 'der', type: 'pkcs8' });
  },
  p256: (): KeyObject => {
    const curve = constructed(0, objectIdentifier('1.2.840.10045.3.1.7'));
    const key = sequence(integer(1), octetString(Buffer.alloc(32, 7)), curve);
    return createPrivateKey({ key, format: 'der', type: 'sec1' });
  },
  rsa: (): KeyObject => createPrivateKey({ key: Buffer.from(rsaKey, 'base64'), format: 'der', type: 'pkcs1' }),
};

export async function materialSeeds(): Promise<MaterialSeed[]> {
  const root = makeTrialCa({ now: seedTime, key: fixedKeys.ed25519(1) });
  const intermediate = root.intermediate({ key: fixedKeys.ed25519(2) });
  const leaf = intermediate.issue({ domains: ['www.example.com'], key: fixedKeys.p256() });
  const rsaLeaf = intermediate.issue({ domains: ['www.example.com', '192.0.2.7'], key: fixedKeys.rsa() });
  const pkcs8 = leaf.key.export({ type: 'pkcs8', format: 'der' });
  const sec1 = leaf.key.export({ type: 'sec1', format: 'pem' }).toString();
  const pkcs1 = rsaLeaf.key.export({ type: 'pkcs1', format: 'pem' }).toString();
  const chain = [leaf.certificateDer, intermediate.certificateDer, root.certificateDer];
  const random = (size: number) => Buffer.alloc(size, 5);
  const pkcs12 = {
    certificates: chain,
    key: pkcs8,
    password: seedPassword,
    friendlyName: 'trial',
    random,
    iterations: 2,
  };
  const withPassword = { password: seedPassword };
  return [
    { name: 'PEM, all in one', files: [file('all.pem', leaf.keyPem + leaf.chainPem + root.certificatePem)] },
    { name: 'PEM with PKCS#1', files: [file('chain.pem', rsaLeaf.chainPem), file('rsa.key', pkcs1)] },
    { name: 'PEM with SEC1', files: [file('ec.key', sec1), file('chain.pem', leaf.chainPem)] },
    {
      name: 'DER, a file each',
      files: [...chain.map((der, index) => file(`${index}.der`, der)), file('key.der', pkcs8)],
    },
    {
      name: 'DER with PKCS#1',
      files: [
        file('leaf.der', rsaLeaf.certificateDer),
        file('key.der', rsaLeaf.key.export({ type: 'pkcs1', format: 'der' })),
      ],
    },
    { name: 'PKCS#7 and DER key', files: [file('chain.p7b', pkcs7(chain)), file('key.der', pkcs8)] },
    { name: 'PKCS#12', files: [file('all.p12', await writePkcs12(pkcs12))], ...withPassword },
    { name: 'PKCS#12 in the clear', files: [file('all.p12', clearPkcs12(chain, pkcs8))] },
    { name: 'PKCS#12, RC2 and 3DES', files: [file('old.p12', Buffer.from(legacyPkcs12, 'base64'))], ...withPassword },
    {
      name: 'PKCS#12, two-key 3DES, no MAC',
      files: [file('old.p12', Buffer.from(macless, 'base64'))],
      ...withPassword,
    },
    {
      name: 'encrypted PKCS#8 PEM',
      files: [file('all.pem', leaf.chainPem + writePem('ENCRYPTED PRIVATE KEY', encryptedPkcs8(pkcs8)))],
      ...withPassword,
    },
    {
      name: 'encrypted PKCS#8 DER',
      files: [file('leaf.der', leaf.certificateDer), file('key.der', encryptedPkcs8(pkcs8))],
      ...withPassword,
    },
    { name: 'old encrypted PEM with SEC1, AES', files: [file('all.pem', leaf.chainPem + oldPemAes)], ...withPassword },
    {
      name: 'old encrypted PEM with SEC1, 3DES',
      files: [file('all.pem', leaf.chainPem + oldPem3Des)],
      ...withPassword,
    },
  ];
}

function file(name: string, content: string | Buffer): ImportFile {
  return { name, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}

/** A SignedData with certificates and no signatures, as `.p7b` files have. */
export function pkcs7(certificates: readonly Buffer[]): Buffer {
  const content = sequence(objectIdentifier(oids.data));
  const signedData = sequence(integer(1), setOf(), content, constructed(0, ...certificates), setOf());
  return sequence(objectIdentifier(oids.signedData), constructed(0, signedData));
}

/** Neither encrypted nor authenticated, so that mutations reach the content. */
export function clearPkcs12(certificates: readonly Buffer[], key: Buffer): Buffer {
  return sequence(integer(3), pkcs12Data(clearSafe(certificates, key)));
}

export function clearSafe(certificates: readonly Buffer[], key: Buffer): Buffer {
  const bags = certificates.map((der) => {
    const value = sequence(objectIdentifier(oids.x509Certificate), constructed(0, octetString(der)));
    return sequence(objectIdentifier(oids.certificateBag), constructed(0, value));
  });
  const keyBag = sequence(objectIdentifier(oids.keyBag), constructed(0, key));
  return sequence(pkcs12Data(sequence(...bags, keyBag)));
}

export function pkcs12Data(content: Buffer): Buffer {
  return sequence(objectIdentifier(oids.data), constructed(0, octetString(content)));
}

/** EncryptedPrivateKeyInfo under PBES2. The stated iteration count may differ from the real one. */
export function encryptedPkcs8(pkcs8: Buffer, statedIterations = 2): Buffer {
  const salt = Buffer.alloc(8, 3);
  const iv = Buffer.alloc(16, 4);
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(seedPassword, salt, 2, 32, 'sha256'), iv);
  const hmac = sequence(objectIdentifier(oids.hmacWithSha256), nullValue());
  const derivation = sequence(
    objectIdentifier(oids.pbkdf2),
    sequence(octetString(salt), integer(statedIterations), hmac),
  );
  const scheme = sequence(objectIdentifier(oids.aes256Cbc), octetString(iv));
  const algorithm = sequence(objectIdentifier(oids.pbes2), sequence(derivation, scheme));
  return sequence(algorithm, octetString(cipher.update(pkcs8), cipher.final()));
}

/** One element of indefinite length (BER). */
export function indefinite(tag: number, ...contents: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(tag, 0x80), ...contents, Buffer.of(0, 0)]);
}

// Made by OpenSSL's command line for the P-256 leaf above. The writer here does not know these oldest forms.
const legacyPkcs12 = [
  'MIIFMwIBAzCCBPoGCSqGSIb3DQEHAaCCBOsEggTnMIIE4zCCBCYGCSqGSIb3DQEHBqCCBBcwggQTAgEAMIIEDAYJKoZIhvcNAQcBMBsGCiqGSIb3',
  'DQEMAQYwDQQIEabWTb4AqjsCAQKAggPgl6/oZ/o+tL3y+CLKco0laojn7CkzaXSG9NepO7N5+EE0MMseVLWIJwb/qi9IJllTwnuTaLGjLLif8/fA',
  'pXU5avp3B00JIPbcRun0fwY5sm8FJHT8rIzhjzOu4vfXckzvH1jBSCnveWMButhHWodMGJLYDGLn1vs/HCAw0pmQgULPiMK9qqFlyQXB2jyRPc2a',
  'n/L1i89HmPQGpN90i1N+xo6/HZ2EwwlYy8Ms9bqmQD4fhlbVGp6jZJASZMMwWhuaWIXs4VT64mNZdImxMnQ/nnjEBUWQYtZy6SnF1JhXK+TaVye6',
  'RAJe82S4kCkDPaPseT9QppaDQg9Ccw8lG82j0ifV6npUrVyJlvD6D6NaJH5oDVX3jS3IVcGvgYvWdUXWyh6aSjPFcdXgME0DXawiOXMo+//Blk0o',
  'drfA83dwdMweaQOPaBlbRS0hwd+MYR9AG8/49HDoNQ4jzlnN+QzRMPPxc9fcubSfiBUk7fNMaoI2BU/hyu6INzbkBKrtDLcMRXjT8GkqZ/HbjiLp',
  'HbD3H0CwjTeaFD/d1sAm/nv+obyOEl0sHbzWBshzvoVmLhOoFla7FdOt0m0QXi13hwpkOqqqYzGkayjsINYmzkca3/FmtYZLHN06cF4Jej8q9ob6',
  'FAxJYW8inWv1JGahR4Enr1qGV2qUBCteDfyJI8bu6aJ58fXiIcb3QGnPIFf2FNMgNGg4NsRHRrO2Z6AIYgBh4qU73spF8EbX8E1DvOpN7owF9ziP',
  'PrqNsQkF1XZquWxN6EvtX3BODbg+2p32KwghoYpInte4YtnBMEA0CjqdemKPuvUQzokxhw0JH59zy2uZVoBFp7ztkDcymqxr0U8XADLkfpwcDdEc',
  'dxH3OlIO8ju4YtUWwaJaZT8Hd2vwo+uGuFwsRgZBdQbWLBFiPK42FR6kVJh/Epz87qvA+FZ9tsG/pGgoxdZXwviG4FWa8Qy64p8OWPrlqfwQhQtm',
  'mSfSFITsV/VkDHXRASPiEVq6S3l2jEP/clQ/UqJbfAE7xYOkzoHOvFLUkjHsVZ+gAqO55i1TIUnAvjRl9vD84fv+Nijbi7VFLRHGtQbWL87xi784',
  'ESmLvhf7tc2z4KqSc/DHKFUV9Oxdv57L8RdM7dE6bK4W9aYboIaXe1uYcIjDbuFdDFR4AhQZTwP+2XKVZkkE99Me5ze+27740DBXZndccJXyVOJ2',
  '01gs/AKBaHmoxV6BXSkF7EP7qQ/f0S2U1LrK/EgWiFjHDtF6XYN5mCugJCIye8es6/qlRC8V3TDKHzP16mfbNnZGTVTIOl28N1s/cvuWIQMOzx0Z',
  'O6TrPAjw5UIwgbYGCSqGSIb3DQEHAaCBqASBpTCBojCBnwYLKoZIhvcNAQwKAQKgaTBnMBsGCiqGSIb3DQEMAQMwDQQIHsGgSzYcTPUCAQIESPG6',
  '5+Qut1QSnI5m4kBc80aRLMESKUqwY14Uw5SfipHNVyZKtu1dbv85bptPyRsAgkb1KV0vZ302bLDuXpVwMIpK2wl3hDqYxzElMCMGCSqGSIb3DQEJ',
  'FTEWBBRuoZ011kSMxwf4occcRDzdDq1RzjAwMCEwCQYFKw4DAhoFAAQUlTbXm8VXt3PDxUnVOdSQXoA8FKgECJTC3c5T625vAgEC',
].join('');

const macless = [
  'MIIEywIBAzCCBMQGCSqGSIb3DQEHAaCCBLUEggSxMIIErTCCA/AGCSqGSIb3DQEHAaCCA+EEggPdMIID2TCCAi4GCyqGSIb3DQEMCgEDoIIB9jCC',
  'AfIGCiqGSIb3DQEJFgGgggHiBIIB3jCCAdowggGMoAMCAQICAQMwBQYDK2VwMDcxFjAUBgNVBAoMDVdheHdpbmcgVHJpYWwxHTAbBgNVBAMMFFRy',
  'aWFsIEludGVybWVkaWF0ZSAyMB4XDTI2MDExNDAwMDAwMFoXDTI2MDQxNTAwMDAwMFowMjEWMBQGA1UECgwNV2F4d2luZyBUcmlhbDEYMBYGA1UE',
  'AwwPd3d3LmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHhhTL9R1TALzBB2cdc6zO4P/2BrHzk/ogsyxyYvFiW6kbDEcTi/0',
  'DdlqNlPm5FRF0y3+SG7O11x6kMahiIHAo6OBkjCBjzAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFFyvl2ub5kQzfFJmP1OEy8PAvv9BMB8GA1Ud',
  'IwQYMBaAFA/0PyZb55JLb8tEV8XTfNpNjktxMAwGA1UdEwEB/wQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGgYDVR0RBBMwEYIPd3d3LmV4YW1w',
  'bGUuY29tMAUGAytlcANBAEr7x5FaUu+fYc9IS/oapFkO5gUVgh9ijSKYFbFeMacWQBo3DcaEQ3U3gtF+Fs023GWk+MdUfnCaRm8FpD9IIQcxJTAj',
  'BgkqhkiG9w0BCRUxFgQUbqGdNdZEjMcH+KHHHEQ83Q6tUc4wggGjBgsqhkiG9w0BDAoBA6CCAZIwggGOBgoqhkiG9w0BCRYBoIIBfgSCAXowggF2',
  'MIIBKKADAgECAgECMAUGAytlcDAtMRYwFAYDVQQKDA1XYXh3aW5nIFRyaWFsMRMwEQYDVQQDDApUcmlhbCBSb290MB4XDTI2MDExNDAwMDAwMFoX',
  'DTM2MDExMzAwMDAwMFowNzEWMBQGA1UECgwNV2F4d2luZyBUcmlhbDEdMBsGA1UEAwwUVHJpYWwgSW50ZXJtZWRpYXRlIDIwKjAFBgMrZXADIQCB',
  'OXcOqH0XX1ajVGbDTH7My42KkbTuN6Jd9g9bj8mzlKNjMGEwDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBQP9D8mW+eSS2/LRFfF03zaTY5LcTAf',
  'BgNVHSMEGDAWgBTrsArETDsJ38ySv0Jl1CC7C690jzAPBgNVHRMBAf8EBTADAQH/MAUGAytlcANBAOf/Z8Raen9hEqZaspDalJ2sUeLe5tkPo+EQ',
  'TZJ24LJm4OO4b88JPToxb/newgS8XzMiVAAjWRTBZBmJlUmZywwwgbYGCSqGSIb3DQEHAaCBqASBpTCBojCBnwYLKoZIhvcNAQwKAQKgaTBnMBsG',
  'CiqGSIb3DQEMAQQwDQQIwSGjqqPZctgCAQIESOKzq2OXnarUpMX3k2AjiKVaO1j6xA3ZvXakJEl7ecD6bc4rIprHrJ6wCVYLXdWiqFzPMwgmzIeP',
  'slY/9Eka7hYrOpGhgyWlXzElMCMGCSqGSIb3DQEJFTEWBBRuoZ011kSMxwf4occcRDzdDq1Rzg==',
].join('');

const oldPemAes = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,DC53401D1A8264EC6CB47B00B559E1C8

dJl1mJZlKGRHW0sSAWmiQvnYoiXV0a60WRHE9NbDSmWW0InR6N76WXGwKBOo+bMl
rfO/AeGdFk4NnAttq0IHTg==
-----END EC PRIVATE KEY-----
`;

const oldPem3Des = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: DES-EDE3-CBC,B04E24611CC68E25

5q/EbfLe9hkgQ0YP8GS9XeClcXmCaSwjAmsMYDbbsuLJem0z//e4NMTz5rpNuHfT
xt8jK/MpY7Xq8C8Y7nHXuZMDx2fQBIaQd9gJDadxcUkz4ZZJo+l8Nhc3j0il3lIS
LlmFWXaTZBXkkrAKCDbXGkm4MLyLtrORWZhFDNrFoJ4=
-----END EC PRIVATE KEY-----
`;

const rsaKey = [
  'MIIEowIBAAKCAQEAtFCyWqaSH//rfnI9E4m353pfcCUua/A+nVywtftLLFgFR2FubmwKnXpSZPfmpSfCGvXMbl14NSJ3C/EvCcjRfVrseE3V9qPP',
  'LtVZ+Wj2cyKG+6MDmEWieQLLWwdA09zUemDpOBJ7IdpilVVsLO3jD48cw+CMuW/hbZSI9F6FQ3+955sKQ9lg/plDtsMUuKQU9k6nTzbnZBcI1Yp7',
  'UZ+bFklWlteUlYJvNVnc+i9T9gPijTjpNc7YeC1lfwmf08I3pPcmWccQq/+6/uAPciRGI9BTIvLjGUhi6NqGHi+JwTE+h1438/7B5do6Vtc9O++R',
  'ut2PkNSTeAYnap9oOeg7+QIDAQABAoIBAA2DvtpsgadEVzIy/cDpIY+H7H9LSh9s8kR5HgWFwCyirEKdWtmL33/OGz7WFcNrJ3E92wSqnMfevW13',
  'tj7Vfl4W4oJh0xeZT34DH6tB4rbeb5+MqEhRb8wCGZvI/2Lhuksx2EkLmY7//0OSE3mKmuofn9hOjD2Z1RuRdnJaY0KbwCxkoLwYCf8dVgVa5pHT',
  'bhwoqFK5BCzerJs3aHsX00gJrjlcY+JIfSiDDPkORcj++uLed0K0ck1VFNWUnRSK9ZSuS91wuBYL/ZaHcKX0BeReyr7KJEadTSsc+yWXzw05ZfQq',
  'MXV+e3AklGD/WGjiZjB0JaOA9vdHlKwOUJua+wECgYEA5BnCYOap+rMGnWzVgQ0nr/YCv3AkxadCAo+T/mzE8NB/Cv88hURAE06r5NdQJKcGt3Xj',
  'yEPS6TMxGN7MgdBChNJ3q+QSwv5I//NixQRhLF4uKhQDtLjMgtuGJ6b0ajbW4nOHOTpHOa8b7UmkvlalbdN/tuHBqptWpSLvNkodkaUCgYEAyl6w',
  'yQOAzVKyEbfzoFk+sOfC6p0f8rvZiK0nfm5tgxZq6DPSPT/v1ZhIyM7l6o1IA812yik+YkBubWzhQI8ryIWUS/wi68Muno/QTeZuQwdD+nzAUwct',
  'Sy79UdLNpLLFw5rrjIAuulFtLehQBmN5uC9gB9DrK/nybhPVDzsSCMUCgYAPuY7i60PwmoLsO2KEoQmJYeZSmEKQtbUhRBCpy4nQKC957JqZfVkF',
  'e7jx774AqNsXrrLjTXmuxe6ujj1+/YJ4caH6YaDBfJI/wuGeP20Lh/qawAJ5ZPwEUWnwNdxHrjwmJFzAHzplyaKdOyR2UrbY2WnGi820Gz1f6Qag',
  'sX9UWQKBgCeXuxK44rxJD5mz2bBnhYJq9ZGdSCDfa8H3zqBHzpk1C5l+egWNusiZULQo9oabOZm02ybWRuRGItS51qAg4roKmGb9X3+s4jQXgvOa',
  'v7vRchVRzvbvkocBHIKjsaQlbdfFOYx1j67YO3od13pIgAnvCuS8lSY3cpziuG6QagjZAoGBALiE85wV/nnAcjGNmky+D3NhwZcQnojn+OWrJjO0',
  'JgccoMEgQxMxd08njSichQB7B7ifpI9FFzRIbQ+DbST98nLJIU+ATns3AUOaxsVau6/jf/PDdmt5Z6SilBglOn7WPNU0IEMAKi6r3jnRRmZyJ6RT',
  'VI0T+DgYGkc0FguS9W4c',
].join('');
