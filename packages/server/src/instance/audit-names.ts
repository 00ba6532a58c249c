import type { AuditName } from '@waxwing/contract/management-api/audit-operations.ts';

/** One kind of thing that the trail tells of by its id. */
export interface NameSource {
  readonly kind: AuditName['kind'];
  /**
   * What those of these ids are called that are still there.
   * @param organizationId as whose members they are asked for; undefined: as who runs the instance
   */
  readonly names: (ids: readonly string[], organizationId: string | undefined) => Promise<ReadonlyMap<string, string>>;
}

export interface AuditNames {
  /** One query of each kind, however many ids. */
  find(ids: readonly string[], organizationId: string | undefined): Promise<ReadonlyMap<string, AuditName>>;
  /** Whose email address it is. */
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
