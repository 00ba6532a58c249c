import assert from 'node:assert/strict';
import { findingsInOrder, findingsWithRemedy } from '@waxwing/contract/management-api/doctor-findings.ts';
import type { Check } from './doctor-check.ts';

const parametersByCode: Readonly<Record<string, readonly string[]>> = { ...findingsInOrder, ...findingsWithRemedy };

/** A check tells in English what its code and parameters tell in any language: nothing is missing, nothing differs. */
export function assertTold(checks: readonly Check[]): void {
  for (const { code, state, message, remedy, parameters } of checks) {
    assert.equal(Object.hasOwn(findingsInOrder, code), state === 'ok', code);
    assert.equal(remedy === null, state === 'ok', code);
    assert.deepEqual(Object.keys(parameters).sort(), [...(parametersByCode[code] ?? [])].sort(), code);
    const words = `${message} ${remedy ?? ''}`;
    for (const [name, value] of Object.entries(parameters)) {
      // A parameter of several names is a list, whose items the English words may put further apart.
      for (const part of String(value).split(', ')) assert.ok(words.includes(part), `${code} ${name}: ${words}`);
    }
  }
}
