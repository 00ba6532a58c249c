import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unreadableFiles } from './unreadable-files.ts';

test('a file that cannot be read is named by its setting', () => {
  assert.deepEqual(unreadableFiles({ smtpPasswordFile: undefined }), []);
  assert.deepEqual(unreadableFiles({ smtpPasswordFile: fileURLToPath(import.meta.url) }), []);
  assert.deepEqual(unreadableFiles({ smtpPasswordFile: '/nowhere/mail' }), [
    { name: 'WAXWING_SMTP_PASSWORD_FILE', message: 'names /nowhere/mail, which cannot be read (ENOENT)' },
  ]);
});
