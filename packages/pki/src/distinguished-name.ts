import { children, type DerElement, DerFields, expectTag, tags } from './der/der.ts';
import { objectIdentifier, stringValue } from './der/der-values.ts';

export interface DistinguishedName {
  /** RFC 4514 text, most specific part first: `CN=R11,O=Let's Encrypt,C=US`. Printable: control characters are escaped. */
  readonly text: string;
  /** Equal for names that RFC 5280 §7.1 calls equal: letter case, spacing and string type do not count. */
  readonly comparable: string;
}

const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
};

/** A value that is not text is shown in hex. @throws Unreadable when the element is not a Name */
export function readName(element: DerElement): DistinguishedName {
  const parts = children(expectTag(element, tags.sequence)).map((part) => {
    const attributes = children(expectTag(part, tags.set)).map(readAttribute);
    return {
      text: attributes.map((attribute) => attribute.text).join('+'),
      comparable: attributes.map((attribute) => attribute.comparable).toSorted(),
    };
  });
  return {
    text: parts
      .map((part) => part.text)
      .reverse()
      .join(','),
    comparable: JSON.stringify(parts.map((part) => part.comparable)),
  };
}

function readAttribute(element: DerElement): { text: string; comparable: string } {
  const fields = new DerFields(element);
  const identifier = objectIdentifier(fields.take());
  const value = fields.take();
  fields.end();
  const text = stringValue(value);
  const hex = `#${value.encoded.toString('hex')}`;
  const shortName = shortNames[identifier];
  return {
    text:
      shortName === undefined || text === undefined
        ? `${shortName ?? identifier}=${hex}`
        : `${shortName}=${escaped(text)}`,
    comparable: `${identifier}=${text === undefined ? hex : text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')}`,
  };
}

/** RFC 4514 §2.4. Also escapes characters that would disturb a terminal or a log line. */
function escaped(text: string): string {
  return text
    .replace(/["+,;<>\\]/g, '\\$&')
    .replace(/^[ #]| $/g, '\\$&')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      Buffer.from(character, 'utf8').toString('hex').replace(/../g, '\\$&'),
    );
}
