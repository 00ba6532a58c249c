import type { listAudit } from '@waxwing/contract/management-api/operations/audit-operations.ts';
import type { ItemOf } from '../../api/shown-things.ts';

export type AuditEntry = ItemOf<typeof listAudit>;
