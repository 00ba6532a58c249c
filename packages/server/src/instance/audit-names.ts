import type { AuditName } from '@waxwing/contract/management-api/operations/audit-operations.ts';

/** One kind of thing that audit entries name by id. */
interface NameSource {
  readonly kind: AuditName['kind'];
  /** The names of these ids, where they exist. @param organizationId only its members; undefined: all */
  readonly names: (ids: readonly string[], organizationId: string | undefined) => Promise<ReadonlyMap<string, string>>;
}

export interface AuditNames {
  /** One query for each kind. */
  find(ids: readonly string[], organizationId: string | undefined): Promise<ReadonlyMap<string, AuditName>>;
  /** The account with this email address. */
  findAccountId(email: string, organizationId: string | undefined): Promise<string | undefined>;
}

export function createAuditNames(
  sources: readonly NameSource[],
  findAccountId: AuditNames['findAccountId'],
): AuditNames {
  return {
    async find(ids, organizationId) {
      const distinct = [...new Set(ids)].filter((id) => id !== '');
      const found = await Promise.all(
        sources.map(async ({ kind, names }) =>
          [...(await names(distinct, organizationId))].map(([id, name]) => [id, { kind, name }] as const),
        ),
      );
      return new Map(found.flat());
    },
    findAccountId,
  };
}
