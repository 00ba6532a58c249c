import assert from 'node:assert/strict';
import { auditFaults } from '@waxwing/contract/management-api/audit-faults.ts';
import type { AuditVerdict } from './audit-trail.ts';

/** A fault tells in English what its code and parameters tell in any language: nothing is missing, nothing differs. */
export function assertFaultsTold({ faults }: AuditVerdict): void {
  for (const { code, reason, parameters } of faults) {
    assert.deepEqual(Object.keys(parameters).sort(), [...auditFaults[code]].sort(), code);
    for (const value of Object.values(parameters)) assert.ok(reason.includes(String(value)), `${code}: ${reason}`);
  }
}
