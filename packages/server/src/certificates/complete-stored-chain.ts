import type { CertificateFault } from '@waxwing/pki/certificate-fault.ts';
import { shown } from '@waxwing/pki/material-faults.ts';
import type { X509 } from '@waxwing/pki/x509.ts';
import { readCertificates } from '@waxwing/pki/x509.ts';
import { lockOrganization } from '../organizations/organization.ts';
import { newId } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { open } from '../secrets/envelope.ts';
import { privateKeyContext } from './certificate.ts';
import { getCertificateRow, getVersionRow, requireCertificate } from './certificate-lookup.ts';
import { advanceVersion, setJudgement } from './certificate-store.ts';
import { completedChain, judgeChain } from './chain/judge-chain.ts';
import { writeRemarks } from './chain/remarks.ts';
import type { CertificateNeeds } from './import-certificate.ts';
import { requireIssued, requireIssuedVersion } from './issued-version.ts';
import type { Turn } from './read-material.ts';
import { factsOf, lockCurrentKey, storeVersion } from './store-version.ts';

export interface CompletedChain {
  readonly id: string;
  readonly version: string;
  readonly number: number;
  /** In the order of the chain. None when only the root above it was missing: the version is the one there was. */
  readonly added: readonly X509[];
  readonly warnings: readonly CertificateFault[];
}

/**
 * Fetches the intermediates that are missing from the chain of the current version, and stores certificate and key with the
 * longer chain as the next version: servers that remember what they fetched notice it.
 * @throws Problem `conflict` where nothing is missing, or where another version became current in the meantime;
 *   `certificate_rejected` where an intermediate cannot be fetched
 */
export async function completeStoredChain(
  needs: CertificateNeeds,
  actor: string,
  id: string,
  turn: Turn | undefined,
): Promise<CompletedChain> {
  const { database, feed, audit, clock } = needs;
  const row = await getCertificateRow(database.db, id);
  requireIssued(row);
  const former = await getVersionRow(database.db, row, undefined);
  requireIssuedVersion(former);
  const given = { chain: former.chain, givenRoot: former.given_root ?? undefined };
  if ((await judgeChain(needs, given)).isComplete) throw chainComplete(id);
  const completion = await completedChain(needs, row.organization_id, given, turn?.signal);
  await turn?.begin();
  if (completion.kind === 'complete') throw chainComplete(id);
  if (completion.kind === 'failed') throw notCompleted(completion.fault);
  if (completion.unfinished !== undefined) throw notCompleted(completion.unfinished);
  const { chain, added, root } = completion;
  const { remarks } = await judgeChain(needs, { chain, givenRoot: root ?? given.givenRoot });
  const judgement = { given_root: root ?? former.given_root, remarks: writeRemarks(remarks) };
  const links = added === 0 ? [] : readCertificates(chain).slice(-added);
  const at = clock.now();
  const versionId = newId(at);

  return feed.write(async (trx, note) => {
    await lockOrganization(trx, database, row.organization_id);
    const keys = await lockCurrentKey(trx, needs.ring);
    const certificate = await requireCertificate(trx, database, id);
    requireIssued(certificate);
    const current = await getVersionRow(trx, certificate, undefined);
    if (current.id !== former.id) throw versionReplaced(id);
    requireIssuedVersion(current);
    const storeNext = async () => {
      const advanced = await advanceVersion(trx, certificate, versionId, at);
      const context = privateKeyContext(certificate.organization_id, id, current.id);
      await storeVersion(trx, database, keys, advanced, {
        id: versionId,
        facts: { ...factsOf(current), chain, ...judgement },
        clearKey: open(keys, context, current.sealed_key),
        at,
      });
      await needs.issuing.replan(trx, id, current, at);
      note('certificate', id, certificate.organization_id);
      return { version: versionId, number: advanced.versions };
    };
    // Servers have the whole chain already. Only the root above it was not known.
    const keepRoot = async () => {
      await setJudgement(trx, current, judgement);
      return { version: current.id, number: current.number };
    };
    const stored = added === 0 ? await keepRoot() : await storeNext();
    const entry = {
      organizationId: row.organization_id,
      actor,
      action: 'certificate.complete-chain',
      subject: id,
      at,
    } as const;
    const detail = { ...stored, added: links.map(({ subject }) => shown(subject.text)) };
    await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
    return { id, ...stored, added: links, warnings: remarks };
  });
}

function notCompleted(fault: CertificateFault): Problem {
  return new Problem('certificate_rejected', {
    detail: 'The chain was not completed, and nothing was changed.',
    faults: [fault],
  });
}

function chainComplete(id: string): Problem {
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'chain_complete',
    detail: `Nothing proves that a certificate is missing from the chain of certificate ${id}, so there is nothing to fetch.`,
  });
}

function versionReplaced(id: string): Problem {
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'version_replaced',
    detail: `Another version of certificate ${id} became current in the meantime, and nothing was stored. Try again.`,
  });
}
