import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../free-port.ts';
import { makeWorld, type World } from '../world.ts';
import { type BrowserOptions, type ConsoleBrowser, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';

type Look = Required<Pick<BrowserOptions, 'language' | 'width' | 'dark'>>;
const all: readonly Look[] = (['zh-CN', 'en'] as const).flatMap((language) =>
  [1440, 390].flatMap((width) => [false, true].map((dark) => ({ language, width, dark }))),
);
/** A short run has each value once. */
const short = [all[0], all[7]].filter((look) => look !== undefined);

/** One look at the pages: a language, a width, light or dark. */
export interface PageLook {
  readonly browser: ConsoleBrowser;
  readonly text: ReturnType<typeof textsOf>;
  /** Checks the page: axe, a picture, nothing outside of the window. */
  look(name: string): Promise<void>;
  /** Visits and checks each path. Keys are the names of the pictures. */
  walk(pages: Readonly<Record<string, string>>): Promise<void>;
}

export interface PageWalk<Places> {
  readonly settings?: Record<string, string>;
  /** Fills the instance through its API, as an operator. */
  readonly furnish: (api: OperatorApi, world: World) => Promise<Places>;
  /** Before any sign-in. */
  readonly before?: (look: PageLook, places: Places) => Promise<void>;
  readonly visit: (look: PageLook, places: Places) => Promise<void>;
}

/** The management API with the cookie of the first operator. */
export interface OperatorApi {
  readonly url: string;
  post<T>(path: string, data: object): Promise<T>;
  patch<T>(path: string, data: object): Promise<T>;
  /** A request of a customer's server, by its own credential. */
  fetchWith(path: string, token: string): Promise<unknown>;
}

/**
 * Declares a story that visits pages of the console in both languages, wide and narrow, light and dark. axe finds
 * nothing serious, nothing lies outside of the window, and the browser has no complaint. Pictures go to .tmp/pictures.
 */
export function pageStory<Places>(name: string, walk: PageWalk<Places>): void {
  test(name, { skip: withoutBrowser }, async (context) => {
    const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}`, ...walk.settings });
    const furnished = async (session: ConsoleBrowser) =>
      [
        await walk.furnish(operatorApi(session, world.url.replace('127.0.0.1', 'localhost')), world),
        await session.context.storageState(),
      ] as const;
    try {
      await world.start();
      const url = world.url.replace('127.0.0.1', 'localhost');
      const session = await signedIn(world, url);
      // An open browser would keep a failed story running.
      const [places, state] = await furnished(session).finally(() => session.close());
      let { cookies } = state;
      for (const look of isFull ? all : short) {
        const lookName = `${look.language}-${look.width}-${look.dark ? 'dark' : 'light'}`;
        await context.test(lookName, async () => {
          const browser = await openBrowser({ url, ...look });
          try {
            const page = pageLook(browser, look.language, lookName);
            await walk.before?.(page, places);
            await browser.context.addCookies(cookies);
            // All looks together take longer than a sign-in is fresh.
            await operatorApi(browser, url).post('/me/reauthentication', { password });
            ({ cookies } = await browser.context.storageState());
            await walk.visit(page, places);
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
}

function pageLook(browser: ConsoleBrowser, language: Look['language'], lookName: string): PageLook {
  const { page } = browser;
  async function look(name: string): Promise<void> {
    const picture = `${lookName}-${name}`;
    await browser.checkAccess(picture);
    await browser.picture(picture);
    const [content, window] = (await page.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number];
    assert.ok(content <= window, `${picture}: ${content} pixels wide in a window of ${window}`);
  }
  return {
    browser,
    text: textsOf(language),
    look,
    async walk(pages) {
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(path);
        await page.locator('main h1, main [role=alert], .not-found h1').first().waitFor();
        await look(name);
      }
    },
  };
}

/** Of the first operator. */
export const password = 'a wing of red wax';

/** A browser with the cookie of the first operator, and no page yet: the door itself is tried by console.story.ts. */
export async function signedIn(world: World, url: string): Promise<ConsoleBrowser> {
  const { link } = await world.json<{ link: string }>('operator', 'create', '--email', 'operator@example.com');
  const browser = await openBrowser({ url, language: 'en' });
  const token = /#token=(.+)$/.exec(link)?.[1];
  await operatorApi(browser, url).post('/links/accept', { token, password });
  return browser;
}

/** @param url the console's, with the host name of its cookies */
export function operatorApi({ context }: ConsoleBrowser, url: string): OperatorApi {
  const change = async <T>(method: 'POST' | 'PATCH', path: string, data: object): Promise<T> => {
    const answer = await context.request.fetch(`${url}/api/v1${path}`, { method, data, headers: { origin: url } });
    assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`);
    const text = await answer.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  return {
    url,
    post: (path, data) => change('POST', path, data),
    patch: (path, data) => change('PATCH', path, data),
    fetchWith: (path, token) => context.request.get(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } }),
  };
}
