import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chinese, english } from '../packages/console/src/i18n/all-texts.ts';

export const consoleLanguages = ['zh-CN', 'en'] as const;
export type ConsoleLanguage = (typeof consoleLanguages)[number];

/** The console's own texts: what a story looks for is what the person reads. */
export function textsOf(language: ConsoleLanguage): typeof chinese {
  return language === 'en' ? english : chinese;
}

/** Puts values into a text, as the console does. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name]));
}

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Why stories in a browser cannot run here; false when they can. */
export const withoutBrowser: string | false =
  program === undefined ? 'Chromium is missing (Debian: bash scripts/setup-debian.sh)' : false;

if (withoutBrowser && process.env.CI === 'true') throw new Error(withoutBrowser);

export interface ConsoleBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: script errors, failed policies, requests to other hosts. */
  readonly complaints: readonly string[];
  /** Runs axe on what is shown; throws for what is serious or worse. */
  checkAccess(where: string): Promise<void>;
  /** A picture of the whole page, into the ignored folder. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface BrowserOptions {
  readonly url: string;
  readonly language: ConsoleLanguage;
  readonly width?: number;
  readonly dark?: boolean;
}

const quiet = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const axeSource = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const pictures = join(dirname(fileURLToPath(import.meta.url)), '..', '.tmp', 'pictures');
const wideEnough = 900;

/** A browser of its own, with nothing remembered. */
export async function openBrowser({
  url,
  language,
  width = 1440,
  dark = false,
}: BrowserOptions): Promise<ConsoleBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'waxwing-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...(program !== undefined && { executablePath: program }),
    headless: true,
    args: [...quiet],
    baseURL: url,
    locale: language,
    timezoneId: 'Asia/Shanghai',
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    acceptDownloads: true,
    viewport: { width, height: width < wideEnough ? 844 : 900 },
  });
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(`error: ${error.error().message}`));
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || isRefusal(message.text())) return;
    complaints.push(`${message.type()}: ${message.text()}`);
  });
  context.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(`${url}/`) && !/^(?:data|blob):/.test(to)) complaints.push(`request to ${to}`);
  });
  const page = context.pages()[0] ?? (await context.newPage());
  return {
    page,
    context,
    complaints,
    async checkAccess(where) {
      await settled(page);
      // As the debugger, not as the page: its policy lets no script in.
      await page.evaluate(readFileSync(axeSource, 'utf8'));
      const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const found = serious.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html}\n${failureSummary}`),
      );
      assert.deepEqual(found, [], `${where}: ${found.length} faults for people with assistive technology`);
    },
    async picture(name) {
      await settled(page);
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** The browser reports each answer of 400 and above; the console shows what it was, and the story looks at that. */
function isRefusal(text: string): boolean {
  return text.startsWith('Failed to load resource: the server responded with a status of 4');
}

const busy = '.ant-spin-spinning, .ant-skeleton-active';

/** Nothing spins any more, and fonts are there. The page's policy forbids what `waitForFunction` does. */
async function settled(page: Page): Promise<void> {
  while ((await page.locator(busy).count()) > 0) await page.locator(busy).first().waitFor({ state: 'detached' });
  // Two frames: what has just been rendered is painted.
  await page.evaluate(
    'document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))))',
  );
}

/** Opens the link of a welcome or an invitation and sets the first password with it. */
export async function acceptWelcome(
  { page }: Pick<ConsoleBrowser, 'page'>,
  link: string,
  password: string,
  { welcome }: ReturnType<typeof textsOf>,
): Promise<void> {
  await page.goto(link);
  await page.getByLabel(welcome.newPassword).fill(password);
  await page.getByLabel(welcome.again).fill(password);
  await page.getByRole('button', { name: welcome.submit }).click();
}

/** An authenticator in the browser, which keeps passkeys and says yes to everything. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** By the menu of one's own. */
export async function signOut(page: Page, { shell, signIn }: ReturnType<typeof textsOf>): Promise<void> {
  await page.locator('header').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: shell.signOut }).click();
  await page.getByRole('heading', { name: signIn.title }).waitFor();
}

/** On the sign-in page; what comes then is the caller's to wait for. */
export async function givePassword(
  page: Page,
  { signIn }: ReturnType<typeof textsOf>,
  email: string,
  password: string,
): Promise<void> {
  await page.getByLabel(signIn.email).fill(email);
  await page.getByLabel(signIn.password, { exact: true }).fill(password);
  await page.getByRole('button', { name: signIn.submit, exact: true }).click();
}
