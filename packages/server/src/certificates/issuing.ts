import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import type { Static } from 'typebox';
import type { Db } from '../database/database.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';

type Details = Shown<Static<(typeof contract.showCertificate)['answer']['schema']>>;

/** What `certificate show` says of the issuing of a certificate. */
export type Issuance = Pick<Details, 'request' | 'authority' | 'renewal' | 'progress' | 'delegation'>;
/** The part of it that lists show. */
export type ListedIssuance = Pick<Issuance, 'authority' | 'renewal'>;

/** Of a certificate that was imported. */
export const notIssuedHere: ListedIssuance = { authority: null, renewal: null };

type Lifetime = Pick<CertificateVersionRow, 'not_before' | 'not_after'>;

/** What certificates need of their issuing. */
export interface Issuing {
  read(certificate: CertificateRow): Promise<Issuance>;
  /** By the certificate; those that were imported are left out. */
  readAll(certificates: readonly Pick<CertificateRow, 'id' | 'source'>[]): Promise<ReadonlyMap<string, ListedIssuance>>;
  /** Plans the renewal anew, after a person has made this version the current one. */
  replan(trx: Db, certificateId: string, version: Lifetime, at: number): Promise<void>;
  /**
   * Ends what is planned for a certificate that is being deleted. Records that are set are still removed.
   * @throws Problem `conflict` while its authority has still to be told of a revocation
   */
  forget(trx: Db, certificateId: string, at: number): Promise<void>;
  /** Plans to tell the authority. @returns for `tell` */
  revoke(trx: Db, certificateId: string, versionId: string | undefined, at: number): Promise<readonly string[]>;
  /** Tells it now. @returns null: nobody is to be told; false: it is told later */
  tell(orderIds: readonly string[]): Promise<boolean | null>;
}
