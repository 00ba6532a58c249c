import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Nginx } from '../nginx.ts';
import { mustRun, runProgram, type World } from '../world.ts';
import { adapt, blocksUnder } from './guide.ts';

/** Installs the guide's script, and a `nginx` in front of the real one that counts its calls. */
export async function installFetchScript(
  world: World,
  nginx: Nginx,
  site: { readonly folder: string; readonly script: string },
) {
  const [script = '', ...more] = blocksUnder('docs/guides/fetching.md', 'A cron job for nginx');
  assert.deepEqual(more, []);
  mkdirSync(world.path('bin'));
  const replaced = { '/etc/nginx/tls': site.folder, 'https://waxwing.example.com': world.url };
  writeFileSync(site.script, adapt(script, replaced), { mode: 0o755 });
  const program = (await mustRun('sh', ['-c', 'command -v nginx'])).trim();
  const calls = world.path('nginx.calls');
  writeFileSync(
    world.path('bin/nginx'),
    `#!/bin/sh\necho "$@" >> ${calls}\nexec ${program} ${nginx.options.join(' ')} "$@"\n`,
    { mode: 0o755 },
  );
  const run = () =>
    runProgram(site.script, [], { env: { PATH: `${world.path('bin')}:${process.env.PATH}`, HOME: world.folder } });
  return {
    run,
    /** Runs it successfully: after a 200 nginx reloads, after a 304 it does not. */
    async finds(status: '200' | '304'): Promise<void> {
      writeFileSync(calls, '');
      const ran = await run();
      assert.equal(ran.code, 0, ran.stderr);
      if (status === '304') assert.equal(ran.stdout + ran.stderr, '');
      assert.match(readFileSync(join(site.folder, 'headers'), 'utf8'), new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(readFileSync(calls, 'utf8'), status === '200' ? '-t -q\n-s reload\n' : '');
      const left = readdirSync(site.folder).filter(
        (name) => !/^(?:site\.pem|etag|etag\.new|headers|token\.header)$/.test(name),
      );
      assert.deepEqual(left, []);
    },
  };
}
