/** What can be wrong with an imported certificate: stable codes, and English sentences with {{parameters}}. */
export const certificateFaults = {
  // The files as such.
  nothing_given: 'No file was given; give certificate and private key.',
  too_many_files: 'More than {{most}} files were given.',
  too_many_bytes: '{{bytes}} bytes are too many for a certificate; at most {{most}} KiB are taken in all.',
  nothing_found: 'No certificate or private key was found in it; give PEM, DER or PKCS#12.',
  only_other_blocks: 'No certificate or private key was found in it, only: {{labels}}.',
  too_many_blocks: 'More than {{most}} PEM blocks; give only what belongs together.',
  block_without_end: 'The {{label}} block has no matching END line: it is cut off or damaged.',
  block_not_base64: 'The {{label}} block is not valid base64: it is damaged.',
  block_cannot_serve: 'A {{label}} block cannot serve TLS; give an RSA, ECDSA or EdDSA key in PKCS#8.',
  too_many_certificates_in_file: 'It holds more than {{most}} certificates; give only the chain.',
  too_many_keys_in_file: 'It holds more than {{most}} private keys; give only one.',
  pkcs7_without_certificates: 'This PKCS#7 file holds no certificates.',
  // Its encoding.
  encoding_extra_bytes: 'The encoding is followed by extra bytes.',
  encoding_unknown_tag: 'The encoding has an unknown tag.',
  encoding_cut_off: 'The encoding is cut off.',
  encoding_impossible_length: 'The encoding has an impossible length.',
  encoding_overlong_length: 'The encoding has an overlong length.',
  encoding_nested_too_deeply: 'The encoding is nested too deeply.',
  encoding_value_for_structure: 'The encoding has a value where a structure belongs.',
  encoding_lacks_field: 'The encoding lacks a field.',
  encoding_field_too_many: 'The encoding has a field too many.',
  encoding_other_type: 'The encoding has a field of another type than belongs there.',
  encoding_not_one_value: 'The encoding has a tag that does not hold one value.',
  encoding_identifier: 'The encoding has a malformed object identifier.',
  encoding_integer: 'The encoding has a malformed integer.',
  encoding_number_out_of_range: 'The encoding has a number out of range.',
  encoding_boolean: 'The encoding has a malformed boolean.',
  encoding_no_octets: 'The encoding has no octet string where one belongs.',
  encoding_bits: 'The encoding has a malformed bit string.',
  encoding_date: 'The encoding has a malformed date.',
  encoding_impossible_date: 'The encoding has an impossible date.',
  encoding_no_date: 'The encoding has no date where one belongs.',
  // Its protection by a password.
  password_missing: 'It is protected by a password; give its password.',
  password_wrong: 'The password does not open it; give the right one (or the file is damaged).',
  password_too_long: 'The password is longer than {{most}} characters.',
  too_many_iterations: 'Its password protection uses more iterations than are accepted here.',
  encryption_unsupported: 'Its encryption ({{algorithm}}) is not supported; protect it by AES instead.',
  encryption_initial_vector: 'The encryption has an initial vector of the wrong size.',
  encryption_key_length: 'The encryption states a wrong key length.',
  encryption_salt: 'The encryption has an oversized salt.',
  encryption_no_iterations: 'The encryption has no iterations.',
  encryption_end: 'The encrypted content does not end as it should.',
  derivation_unsupported: 'Its key derivation ({{algorithm}}) is not supported.',
  scrypt_parameters: 'Its key derivation (scrypt) has parameters that are not accepted.',
  dek_encryption_unsupported: 'Its encryption is not supported; convert the key to PKCS#8.',
  dek_header: 'Its DEK-Info header is damaged.',
  integrity_unsupported: 'Its integrity check ({{algorithm}}) is not supported.',
  integrity_scheme_unsupported: 'Its integrity check is not supported.',
  integrity_key_length: 'The integrity check states an impossible key length.',
  pkcs12_version: 'Its version of PKCS#12 is not supported.',
  pkcs12_for_public_key: 'It is encrypted for a public key, which is not supported.',
  pkcs12_signed: 'It is signed by a public key, which is not supported.',
  pkcs12_nested_too_deeply: 'Its contents are nested too deeply.',
  pkcs12_too_many_entries: 'It has more than {{most}} entries.',
  // A certificate by itself.
  certificate_damaged: 'The certificate is damaged.',
  certificate_two_algorithms: 'The certificate names two signature algorithms.',
  certificate_unknown_extensions: 'The certificate has extensions that its version does not know.',
  certificate_public_key: 'The public key of the certificate is damaged.',
  certificate_version: 'The certificate has an unknown version.',
  certificate_extension_twice: 'The certificate has an extension twice.',
  // A private key by itself.
  key_damaged: 'The private key is damaged.',
  key_version: 'The private key has an unknown version.',
  key_kind: 'The private key is of a kind ({{algorithm}}) that is not supported; use RSA, ECDSA or EdDSA.',
  key_curve_unnamed: 'The private key does not name its curve.',
  key_many_primes: 'The RSA key has more than two primes, which is not supported.',
  key_too_large: 'The RSA key is larger than {{most}} bits.',
  // What belongs together.
  no_certificate: 'No certificate was found; give one.',
  no_key: 'No private key was found; give the key that the certificate was requested with.',
  too_much_material: 'There are too many certificates or keys; give one chain and its key.',
  key_of_another: 'The private key does not belong to the certificate; give the key it was requested with.',
  key_does_not_sign: 'The private key is damaged: it does not make signatures that fit the certificate.',
  several_pairs: 'Several certificates with their keys were given; give only the one to be served.',
  idle_key: 'Another private key was given that belongs to no certificate; it was left out.',
  same_names: 'Too many certificates share a name; give only the chain.',
  // A certificate in its place.
  expired: 'The certificate {{certificate}} expired on {{date}}; give a renewed one.',
  not_yet_valid: 'The certificate {{certificate}} is not valid before {{date}}; wait, or correct the clock.',
  malformed_names:
    'The certificate {{certificate}} has malformed alternative names: {{names}}; names go in A-label form (xn--…), addresses as addresses.',
  no_names:
    'The certificate {{certificate}} names no domain or address (subject alternative name), so no client accepts it; issue it anew with one.',
  too_many_names:
    'The certificate {{certificate}} has {{names}} alternative names, more than {{most}}; have several issued instead, each with a part of them.',
  names_too_long:
    'The alternative names of the certificate {{certificate}} have {{characters}} characters together, more than {{most}}; have several issued instead, each with a part of them.',
  facts_too_long:
    'The certificate {{certificate}} has a subject, an issuer or a serial number of more than {{most}} characters; have one issued with shorter ones.',
  not_for_servers: 'The certificate {{certificate}} is not meant for TLS servers by its extended key usage.',
  weak_key:
    'The certificate {{certificate}} has a key ({{key}}) that is weak; use RSA of at least {{least}} bits or ECDSA.',
  oversized_key:
    'The certificate {{certificate}} has a key ({{key}}) that has more than {{most}} bits; use RSA 2048 to 4096 or ECDSA.',
  bad_exponent:
    'The certificate {{certificate}} has a key ({{key}}) that has a public exponent that is not accepted; use 65537.',
  small_exponent:
    'The certificate {{certificate}} has a key ({{key}}) with a small public exponent; make the next one with 65537.',
  unnamed_curve:
    'The certificate {{certificate}} has a key ({{key}}) that does not name its curve; use P-256, P-384 or P-521.',
  other_curve:
    'The certificate {{certificate}} has a key ({{key}}) that is on a curve that is not accepted; use P-256, P-384 or P-521.',
  other_kind:
    'The certificate {{certificate}} has a key ({{key}}) that is of a kind that is not accepted; use RSA, ECDSA or EdDSA.',
  weak_signature:
    'The certificate {{certificate}} carries a signature made with {{algorithm}}, which is not accepted; have it issued with SHA-256 or better.',
  no_authority:
    'The certificate {{certificate}} is not a certification authority (basic constraints), yet stands above another one.',
  may_not_sign: 'The certificate {{certificate}} may not sign certificates (key usage), yet stands above another one.',
  path_too_long: 'The certificate {{certificate}} stands above more authorities than its path length allows.',
  not_self_signed:
    'The certificate {{certificate}} names itself as its issuer, yet its signature does not verify; give the certificates as the authority delivered them.',
  not_signed_by:
    'The certificate {{certificate}} names {{issuer}} as its issuer, yet that certificate did not sign it; give the certificates as the authority delivered them.',
  missing_intermediate:
    'The certificate {{certificate}} was issued by {{issuer}}, whose certificate is missing; add that intermediate or root to the import, have it fetched (--complete-chain, `complete_chain`), accept the chain as it is (--incomplete-chain, `incomplete_chain`), or have the operator add the root of the authority to WAXWING_EXTRA_ROOTS.',
  issuer_unknown:
    'The certificate {{certificate}} was issued by {{issuer}}, which is not known here; clients must know that authority.',
  ends_before_leaf: 'The certificate {{certificate}} expires on {{date}}, before the certificate it vouches for.',
  expired_root:
    'The root {{certificate}} above the chain expired on {{date}}; clients that check this refuse the chain. Have the next certificate issued under a current root.',
  doubled: 'Certificates were given more than once, {{certificate}} among them; each was taken once.',
  wrong_order:
    'The certificates in {{file}} were not in the order that servers send, leaf first; they were put in order.',
  not_in_chain: 'The certificate {{certificate}} does not belong to the chain and was left out.',
  fewer_domains: 'The former version also covered {{domains}}; this one does not.',
  // Completing a chain.
  issuer_without_url:
    'The certificate {{certificate}} does not say where the certificate of its issuer {{issuer}} can be fetched (AIA, http or https); ask the authority for it, and add it.',
  issuer_at_blocked_address:
    'The certificate of {{issuer}} was not fetched: {{host}} is not a public address; ask the authority for it, and add it.',
  issuer_not_in_time:
    'The certificate of {{issuer}} was not fetched: {{host}} did not answer in time; try again, or add it yourself.',
  issuer_unreachable:
    'The certificate of {{issuer}} was not fetched: {{host}} cannot be reached; try again, or add it yourself.',
  issuer_not_answered:
    'The certificate of {{issuer}} was not fetched: {{host}} answered with status {{status}}; try again, or add it yourself.',
  issuer_too_large:
    'The certificate of {{issuer}} was not fetched: what {{host}} answers is larger than {{most}} KiB; add it yourself.',
  issuer_not_readable:
    'The certificate of {{issuer}} was not fetched: what {{host}} answers is no certificate; add it yourself.',
  issuer_of_another:
    'The certificate of {{issuer}} was not fetched: what {{host}} answers did not sign {{certificate}}; ask the authority for the right one, and add it.',
  issuer_unfit:
    'The certificate of {{issuer}} that {{host}} answers cannot be used: it is expired, weak or no certification authority; ask the authority for a current one, and add it.',
  issuers_in_circle:
    'The chain cannot be completed: what {{host}} answers for {{issuer}} leads back into the chain; ask the authority for the chain, and add it.',
  issuers_without_end:
    'The chain cannot be completed: after {{most}} certificates it still has no end; ask the authority for the chain, and add it.',
} as const satisfies Readonly<Record<string, string>>;

export type CertificateFaultCode = keyof typeof certificateFaults;

type Placeholders<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Values<Names extends string> = { readonly [Name in Names]: string | number } & ('certificate' extends Names
  ? { readonly serial: string }
  : unknown);

/** The parameters of a fault's sentence. A certificate without a subject is named by its serial number. */
export type CertificateFaultParameters<Code extends CertificateFaultCode> = Values<
  Placeholders<(typeof certificateFaults)[Code]>
>;
