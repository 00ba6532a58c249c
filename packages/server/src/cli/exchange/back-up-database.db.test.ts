import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { databaseFile } from '../../compose.ts';
import { openDatabase } from '../../database/open-database.ts';
import { movedOrphansOf } from '../../database/sqlite/orphaned-log.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { Problem } from '../../runtime/problem.ts';
import { applicationOn } from '../application.testing.ts';
import { temporaryFolder } from '../terminal.testing.ts';
import { backUpDatabase } from './back-up-database.ts';

onBothDatabases('A backup', (_open, kind) => {
  if (kind === 'postgres') {
    test('of PostgreSQL is refused, and pg_dump is named', async (t) => {
      const application = await (await applicationOn(t, kind))();
      const file = join(temporaryFolder(t), 'copy.db');
      await assert.rejects(backUpDatabase(application, 'cli:test', file), (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual([error.code, error.field], ['conflict', 'WAXWING_DATABASE_URL']);
        assert.match(error.message, /pg_dump/);
        return true;
      });
      assert.equal(existsSync(file), false);
      assert.deepEqual(await application.audit.list({ limit: 10 }), []);
    });
    return;
  }

  test("taken amid writes holds all that was acknowledged before, and is its owner's alone", async (t) => {
    const application = await (await applicationOn(t, kind))();
    const folder = temporaryFolder(t);
    const file = join(folder, 'copy.db');
    const before = await application.organizations.create('cli:test', 'Before');
    let copied = false;
    let during = 0;
    const writing = (async () => {
      for (; !copied || during < 3; during += 1) await application.organizations.create('cli:test', `During ${during}`);
    })();
    const answer = await backUpDatabase(application, 'cli:test', file);
    copied = true;
    await writing;

    assert.deepEqual(readdirSync(folder), ['copy.db']);
    const { mode, size } = statSync(file);
    assert.equal(mode & 0o777, 0o600);
    assert.deepEqual(answer, { file, bytes: size, key_id: application.masterKeys.ring().current.id, recorded: true });
    const copy = new DatabaseSync(file, { readOnly: true });
    t.after(() => copy.close());
    assert.equal(copy.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
    const names = copy
      .prepare('select id from organization')
      .all()
      .map(({ id }) => id);
    assert.ok(names.includes(before.id));
    // The copy is of one moment: every organization in it has its audit entry in it, and the backup its own.
    const actions = copy
      .prepare('select action, count(*) as n from audit_entry group by action order by action')
      .all()
      .map(({ action, n }) => [action, n]);
    assert.deepEqual(actions, [
      ['database.backup', 1],
      ['organization.create', names.length],
    ]);
  });

  test('restored beside the log of the database that is gone is not changed by it', async (t) => {
    const application = await (await applicationOn(t, kind))();
    const file = join(temporaryFolder(t), 'waxwing.db');
    await application.organizations.create('cli:test', 'Before');
    await backUpDatabase(application, 'cli:test', file);
    await application.organizations.create('cli:test', 'After');
    const wal = readFileSync(`${databaseFile(application.settings)}-wal`);
    writeFileSync(`${file}-wal`, wal);
    const restored = await openDatabase({ kind: 'sqlite', file });
    t.after(() => restored.close());
    assert.deepEqual(await restored.db.selectFrom('organization').select('name').execute(), [{ name: 'Before' }]);
    const [moved = ''] = movedOrphansOf(file);
    assert.deepEqual(readFileSync(moved), wal);
  });

  test('never replaces a file, and leaves no trace when it is refused', async (t) => {
    const application = await (await applicationOn(t, kind))();
    const folder = temporaryFolder(t);
    const refused = (name: string, message: RegExp) =>
      assert.rejects(backUpDatabase(application, 'cli:test', join(folder, name)), (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual([error.code, error.field], ['conflict', 'out']);
        assert.match(error.message, message);
        return true;
      });
    writeFileSync(join(folder, 'precious.db'), 'precious');
    await refused('precious.db', /precious\.db exists already; it was left as it is/);
    await refused('missing/copy.db', /missing\/copy\.db cannot be written \(ENOENT\)\. The folder must exist/);
    writeFileSync(join(folder, 'cut.db.partial'), '');
    await refused('cut.db', /cut\.db\.partial is there: another backup is being written, or one was cut off/);

    assert.deepEqual(readdirSync(folder).sort(), ['cut.db.partial', 'precious.db']);
    assert.equal(readFileSync(join(folder, 'precious.db'), 'utf8'), 'precious');
    assert.deepEqual(await application.audit.list({ limit: 10 }), []);
  });

  test('that meets a file made meanwhile leaves that file as it is', async (t) => {
    const application = await (await applicationOn(t, kind))();
    const folder = temporaryFolder(t);
    const file = join(folder, 'copy.db');
    // The audit entry is written between the look at the name and the copy.
    const audit = {
      ...application.audit,
      record: meanwhile(application.audit.record, () => writeFileSync(file, 'new')),
    };
    await assert.rejects(
      backUpDatabase({ ...application, audit }, 'cli:test', file),
      /copy\.db was made by another meanwhile; it was left as it is/,
    );
    assert.deepEqual(readdirSync(folder), ['copy.db']);
    assert.equal(readFileSync(file, 'utf8'), 'new');
  });
});

function meanwhile<Given extends unknown[], Result>(
  work: (...given: Given) => Promise<Result>,
  happens: () => void,
): (...given: Given) => Promise<Result> {
  return (...given) => {
    happens();
    return work(...given);
  };
}
