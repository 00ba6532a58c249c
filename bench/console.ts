/**
 * How soon the lists of the web console can be used where there is much to list: from the first byte asked for by a browser
 * that has never been here, to the first row on the screen.
 *
 *   npm run bench:console -- [--rounds N] [--certificates N] [--messages N]
 *
 * Figures go to stdout, progress to stderr. Nothing is asserted: the aim stands beside the figures. Browser and server share
 * one machine; the database is SQLite.
 */
import { parseArgs } from 'node:util';
import { openBrowser, withoutBrowser } from '../e2e/console/console-browser.ts';
import { operatorApi, signedIn } from '../e2e/console/page-walk.ts';
import { freePort } from '../e2e/free-port.ts';
import { makeWorld } from '../e2e/world.ts';
import { fillInstance } from '../packages/server/src/whole-server/filled-instance.testing.ts';
import { median, shown, table } from './parts/figures.ts';
import { describeLoad, describeMachine } from './parts/machine.ts';
import { openConfigured } from './parts/open-configured.ts';

const aimMs = 1_500;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    certificates: { type: 'string', default: '10000' },
    messages: { type: 'string', default: '1000000' },
  },
});
const rounds = Number(options.rounds);
const amounts = {
  first: 1,
  certificates: Number(options.certificates),
  messages: Number(options.messages),
  attempts: Number(options.messages),
  retrievals: Number(options.certificates),
  others: Number(options.certificates),
  people: 1_000,
  sessions: 10,
  resends: 0,
};
if (withoutBrowser !== false) throw new Error(withoutBrowser);

const settings = {
  WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
  // Pushes to this machine, where no receiver listens.
  WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
  WAXWING_LOG_LEVEL: 'warn',
  // The rows are years old.
  WAXWING_PUSH_HISTORY_RETENTION: '3650d',
  WAXWING_MESSAGE_RETENTION: '3650d',
  WAXWING_EVENT_RETENTION: '3650d',
};
const world = await makeWorld('sqlite', settings);
try {
  console.log([...describeMachine(world.folder), describeLoad()].join('\n'));
  await world.start();
  const url = world.url.replace('127.0.0.1', 'localhost');
  const session = await signedIn(world, url);
  const { cookies } = await session.context.storageState();
  const { id } = await operatorApi(session, url).post<{ id: string }>('/organizations', { name: 'Acme' });
  await session.close();
  await world.stop();
  await fill(id);
  await world.start();

  const lists = ['certificates', 'messages', 'pushes'] as const;
  const times = new Map<string, number[]>(lists.map((list) => [list, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const list of lists) {
      // A new browser each time, with an empty cache.
      const browser = await openBrowser({ url, language: 'zh-CN' });
      await browser.context.addCookies(cookies);
      await browser.page.goto(`/console/o/${id}/${list}`);
      await browser.page.locator('tbody tr[data-row-key]').first().waitFor();
      times.get(list)?.push(Number(await browser.page.evaluate('performance.now()')));
      await browser.close();
      console.error(`  round ${round + 1} of ${rounds}: ${list} ${shown(times.get(list)?.at(-1) ?? Number.NaN)} ms`);
    }
  }

  console.log(`\nFirst row on the screen, browser without a cache (${rounds} rounds;`);
  console.log(`${shown(amounts.certificates)} certificates, ${shown(amounts.messages)} messages)\n`);
  const rows = [...times].map(([list, each]) => [list, shown(median(each)), shown(Math.max(...each)), `≤ ${aimMs}`]);
  console.log(table([['list', 'median ms', 'highest ms', 'aim ms'], ...rows]));
  console.log(`\n${describeLoad()}`);
} finally {
  await world.end();
}

/** With the server stopped. Makes rows inside the database. */
async function fill(organizationId: string): Promise<void> {
  const application = await openConfigured({ ...settings, WAXWING_DATA: world.path('data') });
  try {
    const setting = (kind: 'status' | 'uplink') =>
      application.messaging.pushSettings.set('bench', { organizationId, kind, url: 'http://127.0.0.1:9/' });
    const [statuses, uplinks] = [await setting('status'), await setting('uplink')];
    const acme = {
      id: organizationId,
      accountId: 'nobody',
      deploymentId: 'nothing',
      statusSetting: statuses.setting.id,
      uplinkSetting: uplinks.setting.id,
    };
    const began = performance.now();
    await fillInstance(application.database, acme, amounts);
    console.error(`  filled in ${shown((performance.now() - began) / 1000)} s`);
  } finally {
    await application.close();
  }
}
