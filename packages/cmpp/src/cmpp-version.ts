/** What differs between the versions of CMPP: sizes, in octets (CMPP 3.0.0 §11, its items 1 to 7 and 16). */
export interface CmppVersion {
  readonly name: 'cmpp2' | 'cmpp3';
  /** In CMPP_CONNECT: the major version in the high four bits, the minor one in the low four. */
  readonly octet: number;
  /** A phone number, or in 3.0 its pseudonym. */
  readonly terminalSize: number;
  /** Whether a number is a pseudonym. 2.0 has none. */
  readonly terminalTypeSize: number;
  /** Status, Result and Success_Id of responses. */
  readonly resultSize: 1 | 4;
  /** What follows the content of a message: Reserve in 2.0, LinkID in 3.0. */
  readonly tailSize: number;
}

export const cmpp2: CmppVersion = {
  name: 'cmpp2',
  octet: 0x20,
  terminalSize: 21,
  terminalTypeSize: 0,
  resultSize: 1,
  tailSize: 8,
};

export const cmpp3: CmppVersion = {
  name: 'cmpp3',
  octet: 0x30,
  terminalSize: 32,
  terminalTypeSize: 1,
  resultSize: 4,
  tailSize: 20,
};
