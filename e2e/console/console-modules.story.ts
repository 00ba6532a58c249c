import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../free-port.ts';
import { makeWorld } from '../world.ts';
import { textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

const halves = {
  certificates: { home: 'certificates', shown: ['certificateManagement', 'serverDeployments'] },
  messaging: { home: 'messages', shown: ['messages', 'pushSettings', 'carriers', 'unmatchedReplies'] },
} as const;

for (const [half, other] of [
  ['certificates', 'messaging'],
  ['messaging', 'certificates'],
] as const) {
  test(`with ${half} alone the console begins there, and offers nothing of the other half`, {
    skip: withoutBrowser,
  }, async () => {
    const world = await makeWorld('sqlite', {
      WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
      WAXWING_MODULES: half,
    });
    try {
      await world.start();
      const url = world.url.replace('127.0.0.1', 'localhost');
      const browser = await signedIn(world, url);
      try {
        const { page } = browser;
        const { menu } = textsOf('en');
        const { id } = await operatorApi(browser, url).post<{ id: string }>('/organizations', { name: 'Acme' });
        await page.goto('/console/');
        await page.waitForURL('**/organizations');
        await page.goto(`/console/o/${id}/members`);
        await page.getByRole('heading', { name: menu.members }).waitFor();
        await page.goto('/console/');
        await page.waitForURL(`**/o/${id}/${halves[half].home}`);
        const offered = await page.getByRole('navigation').getByRole('link').allInnerTexts();
        for (const name of halves[half].shown) assert.ok(offered.includes(menu[name]), name);
        for (const name of halves[other].shown) assert.ok(!offered.includes(menu[name]), name);
        assert.equal(await page.getByRole('alert').count(), 0);
        assert.deepEqual(browser.complaints, []);
      } finally {
        await browser.close();
      }
    } finally {
      await world.end();
    }
  });
}
