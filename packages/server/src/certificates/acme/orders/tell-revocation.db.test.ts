import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { type AcmeWorld, openAcmeWorld } from '../acme-world.testing.ts';
import { failure } from '../fake-authority.testing.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** As `certificate revoke` does. @returns `authority_told` */
async function revoke({ database, issuing, clock }: AcmeWorld, id: string): Promise<boolean | null> {
  return issuing.tell(await database.transaction((trx) => issuing.revoke(trx, id, undefined, clock.now())));
}

const forget = ({ database, issuing, clock }: AcmeWorld, id: string) =>
  database.transaction((trx) => issuing.forget(trx, id, clock.now()));

const unauthorized = failure('Not the account of this certificate.', { type: 'unauthorized' });

onBothDatabases('a revocation that the authority does not know yet', (open) => {
  test('keeps the certificate from being deleted, until it is told', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    await world.tick();
    world.authority.before = (call) => (call === 'revoke' ? 'lose' : undefined);
    assert.equal(await revoke(world, id), false);
    const until = new Date(world.clock.now() + minute).toISOString();
    const parameters = { authority: 'ca', until, error: 'The connection was closed.' };
    await assert.rejects(forget(world, id), { code: 'conflict', reason: 'revocation_untold', parameters });
    world.authority.before = () => undefined;
    await world.pass(2 * minute);
    assert.equal(world.authority.revoked.length, 1);
    assert.equal((await world.requests.progress(id)).error, null);
    await forget(world, id);
  });

  test('is signed by the key of the certificate where the account is another one, or gone', async (t) => {
    const world = await openAcmeWorld(t, open);
    const signers: (string | KeyObject)[] = [];
    world.authority.refuseRevocation = (by) => {
      signers.push(by);
      return typeof by === 'string' ? unauthorized : undefined;
    };
    const one = await world.request();
    await world.tick();
    assert.equal(await revoke(world, one), true);
    const two = await world.request({ domains: ['two.example.com'] });
    await world.tick();
    const [authority] = await world.authorities.list({ take: 1, after: undefined });
    const externalAccount = { kid: 'new', hmac: 'x'.repeat(32) };
    await world.authorities.update('test', authority?.id ?? '', { externalAccount });
    assert.equal(await revoke(world, two), true);
    const [account, ...keys] = signers;
    assert.equal(typeof account, 'string');
    assert.equal(keys.length, 2);
    for (const [index, key] of keys.entries()) {
      const leaf = new X509Certificate(Buffer.from(world.authority.revoked[index] ?? '', 'base64'));
      assert.ok(leaf.checkPrivateKey(key as KeyObject));
    }
  });

  test('is given up where it is refused for good, which the audit trail tells, and no longer prevents a deletion', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    await world.tick();
    world.authority.refuseRevocation = () => unauthorized;
    assert.equal(await revoke(world, id), false);
    await assert.rejects(forget(world, id), { reason: 'revocation_untold' });
    await world.pass(day);
    assert.equal(world.authority.calls.filter((call) => call === 'revoke').length, 10, 'by account and by key');
    const entries = (await world.audit.list({ limit: 100 })).filter(({ action }) => action === 'certificate.revoke');
    assert.deepEqual(
      entries.map(({ actor, subject }) => [actor, subject]),
      [['acme', id]],
    );
    const { authority_told, error } = JSON.parse(entries[0]?.detail ?? '{}');
    assert.deepEqual([authority_told, error], [false, unauthorized.words]);
    await forget(world, id);
  });

  test('is told for days where the authority is away, and then given up', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    await world.tick();
    world.authority.before = (call) => (call === 'revoke' ? 'lose' : undefined);
    await revoke(world, id);
    await world.pass(9 * day);
    await assert.rejects(forget(world, id), { reason: 'revocation_untold' });
    await world.pass(5 * day);
    assert.ok((await world.actions()).includes('certificate.revoke'));
    await forget(world, id);
  });
});
