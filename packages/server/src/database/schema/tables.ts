import type { AccountTables } from './account-tables.ts';
import type { AcmeTables } from './acme-tables.ts';
import type { AlertTables } from './alert-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { CarrierTables } from './carrier-tables.ts';
import type { CertificateTables } from './certificate-tables.ts';
import type { InstanceTables } from './instance-tables.ts';
import type { MessageTables } from './message-tables.ts';
import type { PushTables } from './push-tables.ts';

/**
 * Rows as both databases hold them: ids are UUIDv7 text, instants are epoch milliseconds, flags are 0 or 1, lists and
 * details are JSON text, sealed bytes are blobs. Tables of volume carry `organization_id` in their key.
 */
export interface Tables
  extends InstanceTables,
    AuditTables,
    AccountTables,
    CertificateTables,
    PushTables,
    MessageTables,
    AlertTables,
    AcmeTables,
    CarrierTables {}
