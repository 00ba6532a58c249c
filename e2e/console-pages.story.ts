/**
 * Every page of the console, in both languages, wide and narrow, light and dark: axe finds nothing serious, nothing lies
 * outside of the window, the browser has nothing to complain about. Pictures of all of it go to .tmp/pictures.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { makeTrialCa } from '../packages/server/src/certificates/trial-ca.testing.ts';
import { type BrowserOptions, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { freePort } from './free-port.ts';
import { makeWorld, type World } from './world.ts';

const day = 86_400_000;
const isFull = process.env.WAXWING_TEST_SCALE === 'full';

type Look = Required<Pick<BrowserOptions, 'language' | 'width' | 'dark'>>;
const all: readonly Look[] = (['zh-CN', 'en'] as const).flatMap((language) =>
  [1440, 390].flatMap((width) => [false, true].map((dark) => ({ language, width, dark }))),
);
/** Each value of each once in a short run. */
const short = [all[0], all[7]].filter((look) => look !== undefined);

test('every page is readable, complete and quiet', { skip: withoutBrowser }, async (context) => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const session = await signedIn(world, url);
    const places = await furnish(session.context, url);
    const { cookies } = await session.context.storageState();
    await session.close();
    for (const look of isFull ? all : short) {
      const name = `${look.language}-${look.width}-${look.dark ? 'dark' : 'light'}`;
      await context.test(name, async () => {
        const browser = await openBrowser({ url, ...look });
        try {
          await walkGates(browser, name, textsOf(look.language));
          await browser.context.addCookies(cookies);
          await walk(browser, name, places);
          assert.deepEqual(browser.complaints, []);
        } finally {
          await browser.close();
        }
      });
    }
  } finally {
    await world.end();
  }
});

type Browser = Awaited<ReturnType<typeof openBrowser>>;

async function signedIn(world: World, url: string): Promise<Browser> {
  const { link } = await world.json<{ link: string }>('operator', 'create', '--email', 'operator@example.com');
  const browser = await openBrowser({ url, language: 'en' });
  const text = textsOf('en');
  await browser.page.goto(link);
  await browser.page.getByLabel(text.welcome.newPassword).fill('a wing of red wax');
  await browser.page.getByLabel(text.welcome.again).fill('a wing of red wax');
  await browser.page.getByRole('button', { name: text.welcome.submit }).click();
  await browser.page.getByRole('heading', { name: text.organizations.title }).waitFor();
  return browser;
}

interface Places {
  readonly organization: string;
  readonly empty: string;
  readonly certificate: string;
  readonly deployment: string;
}

/** Two organizations, one of them empty; certificates of every age; deployments with hand-outs and refusals. */
async function furnish(context: BrowserContext, url: string): Promise<Places> {
  const post = async <T>(path: string, data: object): Promise<T> => {
    const answer = await context.request.post(`${url}/api/v1${path}`, { data, headers: { origin: url } });
    assert.ok(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const of = `/organizations/${organization}`;
  const ca = makeTrialCa({ now: Date.now(), commonName: 'Example Issuing CA 1' });
  const certificates: string[] = [];
  for (const [index, days] of [3, 21, 64, 89, 180, 300].entries()) {
    const domains = [`shop-${index}.example.com`, `www.shop-${index}.example.com`, `api.shop-${index}.example.com`];
    const { chainPem, keyPem } = ca.issue({ domains, notAfter: Date.now() + days * day });
    const files = [
      { name: 'chain.pem', text: chainPem },
      { name: 'key.pem', text: keyPem },
    ];
    certificates.push((await post<{ id: string }>(`${of}/certificates`, { files })).id);
    if (index !== 5) continue;
    const next = ca.issue({ domains, notAfter: Date.now() + 365 * day });
    await post(`${of}/certificates`, {
      onto: certificates[5],
      files: [
        { name: 'chain.pem', text: next.chainPem },
        { name: 'key.pem', text: next.keyPem },
      ],
    });
  }
  const certificate = certificates[5] ?? '';
  const allow = ['127.0.0.1', '2001:db8::/32'];
  const made = await post<{ id: string; token: string; url: string }>(`${of}/deployments`, {
    certificate_id: certificate,
    name: 'web-01',
    allow,
  });
  await post(`${of}/deployments`, { certificate_id: certificate, name: '上海机房 web-02', allow: [] });
  const fetchWith = (path: string, token: string) =>
    context.request.get(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  for (let count = 0; count < 3; count += 1) await fetchWith('/api/certificate', made.token);
  await fetchWith('/api/download?type=nothing', made.token);
  await post(`${of}/invitations`, { email: 'colleague@example.com', role: 'developer' });
  return { organization, empty, certificate, deployment: made.id };
}

/** Before one is signed in. */
async function walkGates(browser: Browser, name: string, text: ReturnType<typeof textsOf>): Promise<void> {
  const { page } = browser;
  await page.goto('/console/sign-in');
  await page.getByLabel(text.signIn.email).waitFor();
  await look(browser, `${name}-sign-in`);
  await page.goto('/console/welcome#token=gone');
  await page.getByRole('alert').waitFor();
  await look(browser, `${name}-welcome`);
}

async function walk(browser: Browser, name: string, places: Places): Promise<void> {
  const { page } = browser;
  const { organization, empty, certificate, deployment } = places;
  const at = `/console/o/${organization}`;
  const pages: Readonly<Record<string, string>> = {
    organizations: '/console/organizations',
    'certificates-empty': `/console/o/${empty}/certificates`,
    certificates: `${at}/certificates`,
    'certificates-none-found': `${at}/certificates?search=nothing-like-it`,
    import: `${at}/certificates/import`,
    'certificate-versions': `${at}/certificates/${certificate}`,
    'certificate-chain': `${at}/certificates/${certificate}?tab=chain`,
    'certificate-deployments': `${at}/certificates/${certificate}?tab=deployments`,
    'certificate-retrievals': `${at}/certificates/${certificate}?tab=retrievals`,
    deploy: `${at}/certificates/${certificate}/deploy`,
    deployments: `${at}/deployments`,
    'deployments-empty': `/console/o/${empty}/deployments`,
    deployment: `${at}/deployments/${deployment}`,
    'deployment-refusals': `${at}/deployments/${deployment}?tab=refusals`,
    members: `${at}/members`,
    account: '/console/account',
    'not-found': '/console/nothing/here',
    'missing-certificate': `${at}/certificates/0000`,
  };
  for (const [page_, path] of Object.entries(pages)) {
    await page.goto(path);
    await page.locator('main h1, main [role=alert], .ant-result').first().waitFor();
    await look(browser, `${name}-${page_}`);
  }
}

async function look(browser: Browser, name: string): Promise<void> {
  await browser.checkAccess(name);
  await browser.picture(name);
  const [content, window] = (await browser.page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  assert.ok(content <= window, `${name}: ${content} pixels wide in a window of ${window}`);
}
