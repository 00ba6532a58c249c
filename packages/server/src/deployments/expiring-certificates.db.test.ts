import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import { createExpiryMetric } from './expiring-certificates.ts';
import { inBothWorlds, worldStart } from './retrieval/retrieval-world.testing.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A registry for each: a reading that was slow stands for a minute. */
async function samples(database: Database, clock: Clock): Promise<string[]> {
  const registry = new Registry();
  createExpiryMetric(registry, database, clock);
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('waxwing_'));
  assert.ok(lines.length === 10 || lines.length === 0, 'a bucket with nothing in it is 0, not absent');
  return lines.filter((line) => !line.endsWith(' 0')).map((line) => line.replace(/^\w+/, ''));
}

inBothWorlds('the metric of expiring certificates', (world) => {
  test('counts current versions by how soon they end at the scrape, and whether a server may fetch them', async () => {
    const { application, clock } = world();
    const leafUntil = (name: string, ms: number) =>
      world().importLeaf({ domains: [`${name}.example`], notAfter: worldStart + ms });
    const soon = await leafUntil('soon', 12 * hourMs);
    const week = await leafUntil('week', 6 * dayMs);
    await leafUntil('month', 29 * dayMs);
    await leafUntil('far', 90 * dayMs);
    const renewed = await leafUntil('renewed', 12 * hourMs);
    await world().importLeaf({ domains: ['renewed.example'], notAfter: worldStart + 80 * dayMs, onto: renewed.id });
    const revoked = await leafUntil('revoked', 12 * hourMs);
    await application.certificates.revoke('test', revoked.id);
    await world().deploy(soon.id);
    await world().deploy(soon.id);
    const switchedOff = await world().deploy(week.id);
    await application.deployments.update('test', switchedOff.id, { enabled: false });
    assert.deepEqual(await samples(application.database, clock), [
      ...['1d', '7d', '14d', '30d'].map((within) => `{within="${within}",deployed="yes"} 1`),
      ...['{within="7d",deployed="no"} 1', '{within="14d",deployed="no"} 1', '{within="30d",deployed="no"} 2'],
    ]);

    clock.advance(13 * hourMs);
    await application.deployments.update('test', switchedOff.id, { enabled: true });
    assert.deepEqual(await samples(application.database, clock), [
      ...['7d', '14d', '30d', 'expired'].map((within) => `{within="${within}",deployed="yes"} 1`),
      '{within="30d",deployed="no"} 1',
    ]);
  });

  test('has no sample, and fails no scrape, while the database does not answer', async () => {
    const readAside = () => Promise.reject(new DatabaseUnavailable('down'));
    assert.deepEqual(await samples({ ...world().application.database, readAside }, world().clock), []);
  });
});
