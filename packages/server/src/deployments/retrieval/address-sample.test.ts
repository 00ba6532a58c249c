import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressSample, manyAddresses } from './address-sample.ts';

test('in each minute the first 20 addresses of a deployment are named, the others are many', () => {
  const sample = createAddressSample();
  const named = (minute: number, deployment: string, first: number) =>
    Array.from({ length: 30 }, (_, index) => `192.0.2.${first + index}`).filter(
      (address) => sample.name(minute, deployment, address) === address,
    );
  assert.equal(named(1, 'a', 0).length, 20);
  assert.equal(named(1, 'a', 0).length, 20, 'those named stay named');
  assert.equal(named(1, 'a', 100).length, 0);
  assert.equal(named(1, 'b', 100).length, 20, 'each deployment has its own');
  assert.equal(named(2, 'a', 100).length, 20, 'a new minute starts anew');
});

test('all deployments together have 10,000 named addresses a minute', () => {
  const sample = createAddressSample();
  const name = (minute: number, index: number) => sample.name(minute, `deployment-${index}`, '192.0.2.1');
  const all = (minute: number) => Array.from({ length: 10_500 }, (_, index) => name(minute, index));
  assert.equal(all(1).filter((each) => each === manyAddresses).length, 500);
  assert.equal(name(1, 0), '192.0.2.1');
  assert.equal(all(2).filter((each) => each === manyAddresses).length, 500);
});
