import * as authorityOperations from '@waxwing/contract/management-api/operations/authority-operations.ts';
import * as certificateOperations from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import * as providerOperations from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { type Binding, bind, organizationOf, owned } from '../../api/operation-frame.ts';
import { invalidCursor } from '../../api/page-cursor.ts';
import type { Certificates } from '../manage-certificates.ts';
import type { Authorities } from './authorities/manage-authorities.ts';
import type { DnsProviders } from './proofs/manage-dns-providers.ts';
import type { CertificateRequests } from './requests/manage-requests.ts';

interface AcmeRoutesNeeds {
  readonly authorities: Authorities;
  readonly dnsProviders: DnsProviders;
  readonly requests: CertificateRequests;
  readonly certificates: Pick<Certificates, 'show'>;
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
const idOf = ({ id }: { readonly id: string }): string => id;

/** The operations on authorities, DNS providers and requests. */
export function acmeRoutes(needs: AcmeRoutesNeeds): readonly Binding[] {
  return [...authorityRoutes(needs), ...providerRoutes(needs), ...requestRoutes(needs)];
}

function authorityRoutes({ authorities }: AcmeRoutesNeeds): readonly Binding[] {
  const { listAuthorities, listOfferedAuthorities, createAuthority, showAuthority } = authorityOperations;
  const { updateAuthority, deleteAuthority, testAuthority, rollAuthorityKey } = authorityOperations;
  return [
    bind(listAuthorities, async ({ page }) => page.of(await authorities.list(page), idOf)),
    bind(listOfferedAuthorities, async ({ page }) => {
      const all = await authorities.list(page);
      return page.of(
        all.map(({ id, name, directory, profile }) => ({ id, name, directory, profile })),
        idOf,
      );
    }),
    bind(createAuthority, ({ by, body }) => {
      const { root_pem: rootPem, account_key: accountKey, external_account: externalAccount, ...rest } = body;
      return authorities.create(by, { ...rest, rootPem, accountKey, externalAccount });
    }),
    bind(showAuthority, ({ params }) => authorities.show(params.authority_id)),
    bind(updateAuthority, (call) => {
      const { root_pem: rootPem, external_account: externalAccount, ...rest } = call.body;
      const update = { ...rest, rootPem, externalAccount };
      return authorities.update(call.by, call.params.authority_id, update, (current) => call.requireMatch(current));
    }),
    bind(deleteAuthority, async ({ by, params }) => {
      await authorities.delete(by, params.authority_id);
      return undefined;
    }),
    bind(rollAuthorityKey, (call) => authorities.rollKey(call.by, call.params.authority_id, call.disconnectSignal())),
    bind(testAuthority, (call) => authorities.test(call.by, call.params.authority_id, call.disconnectSignal())),
  ];
}

function providerRoutes({ dnsProviders }: AcmeRoutesNeeds): readonly Binding[] {
  const { listDnsProviders, createDnsProvider, showDnsProvider } = providerOperations;
  const { updateDnsProvider, deleteDnsProvider, testDnsProvider } = providerOperations;
  const find = ({ params }: { params: { readonly organization_id: string; readonly dns_provider_id: string } }) =>
    owned(params.organization_id, dnsProviders.show(params.dns_provider_id));
  return [
    bind(listDnsProviders, async ({ params, page }) =>
      page.of(await dnsProviders.list(organizationOf(params), page), idOf),
    ),
    bind(createDnsProvider, ({ by, params, body }) =>
      dnsProviders.create(by, { ...body, organizationId: params.organization_id }),
    ),
    bind(showDnsProvider, find),
    bind(updateDnsProvider, async (call) => {
      const { id } = await find(call);
      return dnsProviders.update(call.by, id, call.body, (current) => call.requireMatch(current));
    }),
    bind(deleteDnsProvider, async (call) => {
      const { id } = await find(call);
      await dnsProviders.delete(call.by, id);
      return undefined;
    }),
    bind(testDnsProvider, async (call) => {
      const { id } = await find(call);
      return dnsProviders.test(call.by, id, call.body.domain, call.disconnectSignal());
    }),
  ];
}

function requestRoutes({ requests, certificates }: AcmeRoutesNeeds): readonly Binding[] {
  const find = ({ params }: { params: { readonly organization_id: string; readonly certificate_id: string } }) =>
    owned(params.organization_id, certificates.show(params.certificate_id));
  return [
    bind(certificateOperations.requestCertificate, async ({ by, params, body }) => {
      const { authorities, domains, name, challenge, dns_provider: dnsProvider, key, keep_key, profile } = body;
      const wanted = { authorities, domains, name, challenge, dnsProvider, key, keepKey: keep_key, profile };
      const id = await requests.request(by, { ...wanted, organizationId: params.organization_id });
      return certificates.show(id);
    }),

    bind(certificateOperations.renewCertificate, async (call) => {
      const { id } = await find(call);
      await requests.renew(call.by, id);
      return certificates.show(id);
    }),

    bind(certificateOperations.requestCertificateAgain, async (call) => {
      const { id } = await find(call);
      await requests.requestAgain(call.by, id);
      return certificates.show(id);
    }),

    bind(certificateOperations.showIssuanceProgress, async (call) => {
      const { id } = await find(call);
      const { progress, ...shown } = await requests.progress(id);
      return { ...shown, progress: [...progress] };
    }),

    bind(certificateOperations.listRenewals, async ({ params, query, page }) => {
      const [at, certificateId = ''] = page.afterParts(2) ?? [];
      if (at !== undefined && !/^\d{1,15}$/.test(at)) throw invalidCursor();
      const after = at === undefined ? undefined : { at: Number(at), certificateId };
      const part = { organizationId: organizationOf(params), take: page.take, after };
      const { failing = false, since, until } = query;
      const span = { since: timeOf(since), until: timeOf(until) };
      const renewals = await requests.listRenewals(part, { failing, ...span });
      const { items, next_cursor } = page.of(renewals, ({ place }) => place);
      return { items: items.map(({ renewal }) => renewal), next_cursor };
    }),

    bind(certificateOperations.countRenewals, ({ params, query }) =>
      requests.countRenewals(organizationOf(params), (query.offset_minutes ?? 0) * 60_000),
    ),
  ];
}
