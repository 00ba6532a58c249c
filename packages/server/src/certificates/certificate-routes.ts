import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import * as operations from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import type { ImportFile } from '@waxwing/pki/read-import.ts';
import type { X509 } from '@waxwing/pki/x509.ts';
import { readCertificates } from '@waxwing/pki/x509.ts';
import { type Binding, bind, type Call, organizationOf, owned } from '../api/operation-frame.ts';
import { invalidCursor } from '../api/page-cursor.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { ImportComparison } from './compare-import.ts';
import type { CertificateDetails, Certificates, Exported } from './manage-certificates.ts';
import type { Turn } from './read-material.ts';

interface CertificateRoutesNeeds {
  readonly certificates: Certificates;
  /** The largest import, bytes. */
  readonly importLimit: number;
}

interface Named {
  readonly params: { readonly organization_id: string; readonly certificate_id: string };
}

/** The limit of the version column. */
const greatestNumber = 2 ** 31 - 1;

export function certificateRoutes({ certificates, importLimit }: CertificateRoutesNeeds): readonly Binding[] {
  const find = ({ params }: Named): Promise<CertificateDetails> =>
    owned(params.organization_id, certificates.show(params.certificate_id));

  // Base64 takes four characters for three bytes, JSON escapes line ends. Twice the limit suffices for both.
  const bodyBytes = importLimit * 2 + 16_384;

  return [
    bind(operations.listCertificates, async ({ params, query, page }) => {
      const { state, search, expires_before } = query;
      const organizationId = organizationOf(params);
      const filter = {
        ...(organizationId !== undefined && { organizationId }),
        limit: page.take,
        ...(page.after !== undefined && { after: page.after }),
        ...(state !== undefined && { state }),
        ...(expires_before !== undefined && { expiresBefore: Date.parse(expires_before) }),
      };
      if (search === undefined) return page.of(await certificates.list(filter), ({ id }) => id);
      const { rows, reached } = await certificates.search(filter, search);
      return page.of(rows, ({ id }) => id, reached);
    }),

    bind(operations.showCertificate, find),

    bind(operations.updateCertificate, async (call) => {
      const { id } = await find(call);
      return certificates.rename(call.by, id, call.body.name);
    }),

    bind(operations.deleteCertificate, async (call) => {
      const { id } = await find(call);
      await certificates.delete(call.by, id);
      return undefined;
    }),

    bind(operations.listCertificateVersions, async (call) => {
      const { id } = await find(call);
      const { page } = call;
      const [before] = page.afterNumbers(1) ?? [];
      if (before !== undefined && before > greatestNumber) throw invalidCursor();
      const rows = await certificates.listVersions(id, {
        limit: page.take,
        ...(before !== undefined && { before }),
      });
      return page.of(rows, ({ number }) => [number]);
    }),

    bind(
      operations.importCertificate,
      async (call) => {
        const { by, params, body } = call;
        const { files, password, name, onto, separate, confirm_lost_names, incomplete_chain, complete_chain } = body;
        const imported = await certificates.import(by, {
          organizationId: params.organization_id,
          files: files.map(toImportFile),
          password,
          name,
          onto,
          separate,
          confirmLostNames: confirm_lost_names,
          incompleteChain: incomplete_chain,
          completeChain: complete_chain,
          turn: turnOf(call),
        });
        const { id, version, number, domains, notAfter, warnings } = imported;
        return { id, version, number, domains: [...domains], expires_at: toRfc3339(notAfter), warnings: [...warnings] };
      },
      { bodyBytes },
    ),

    bind(
      operations.compareImport,
      async (call) => {
        const { files, password, onto } = call.body;
        const comparison = await certificates.compareImport({
          organizationId: call.params.organization_id,
          files: files.map(toImportFile),
          password,
          onto,
          turn: turnOf(call),
        });
        return toComparison(comparison);
      },
      { bodyBytes },
    ),

    bind(operations.showChain, async (call) => {
      const { id } = await find(call);
      const { version, links } = await certificates.showChain({ id, version: call.query.version });
      return { version, links: links.map(toLink) };
    }),

    bind(operations.exportChain, async (call) => {
      const certificate = await find(call);
      const { format, version } = call.body;
      const exported = await certificates.exportChain({ id: certificate.id, version, format });
      return toAnswer(certificate, exported);
    }),

    bind(operations.exportCertificate, async (call) => {
      const certificate = await find(call);
      const { format, version } = call.body;
      const password = 'password' in call.body ? call.body.password : undefined;
      const request = { id: certificate.id, version, format, password, turn: turnOf(call) };
      const exported = await certificates.export(call.by, request);
      return toAnswer(certificate, exported);
    }),

    bind(operations.compareVersion, async (call) => {
      const { id } = await find(call);
      return certificates.compareVersion(id, call.query.version);
    }),

    bind(operations.activateCertificate, async (call) => {
      const { id } = await find(call);
      return certificates.activate(call.by, id, call.body.version);
    }),

    bind(operations.completeChain, async (call) => {
      const certificate = await find(call);
      const { added, warnings, ...stored } = await certificates.completeChain(call.by, certificate.id, turnOf(call));
      return { ...stored, added: added.map(toLink), warnings: [...warnings] };
    }),

    bind(operations.revokeCertificate, async (call) => {
      const { id } = await find(call);
      return certificates.revoke(call.by, id, call.body.version);
    }),
  ];
}

/** The caller may lose the right while waiting. */
function turnOf(call: Pick<Call<Operation>, 'disconnectSignal' | 'admitAgain'>): Turn {
  return { signal: call.disconnectSignal(), begin: () => call.admitAgain() };
}

function toLink({ subject, issuer, serial, fingerprint, publicKey, notBefore, notAfter }: X509) {
  return {
    subject: subject.text,
    issuer: issuer.text,
    serial,
    fingerprint_sha256: fingerprint,
    key_type: publicKey.keyType,
    not_before: toRfc3339(notBefore),
    expires_at: toRfc3339(notAfter),
  };
}

function toComparison({ material, warnings, missingIntermediate, existing, target }: ImportComparison) {
  return {
    material: {
      domains: [...material.domains],
      domain_count: material.domains.length,
      key_type: material.keyType,
      issuer: material.issuer,
      subject: material.subject,
      serial: material.serial,
      not_before: toRfc3339(material.notBefore),
      expires_at: toRfc3339(material.notAfter),
      chain: readCertificates(material.chain).map(toLink),
    },
    warnings: [...warnings],
    missing_intermediate: missingIntermediate,
    existing: existing.map(({ row, relation, deployments }) => ({ id: row.id, name: row.name, relation, deployments })),
    target: target ?? null,
  };
}

function toImportFile(file: { name: string; text: string } | { name: string; base64: string }): ImportFile {
  const bytes = 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64');
  return { name: file.name, bytes };
}

function toAnswer({ id }: CertificateDetails, { version, revoked, files }: Exported) {
  return {
    id,
    version,
    revoked,
    files: files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') })),
  };
}
