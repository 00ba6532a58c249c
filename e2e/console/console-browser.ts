import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chinese, english } from '../../packages/console/src/i18n/all-texts.ts';

/**
 * A story of what people do with the console has one language, about half of them each; what texts do to a page is looked
 * at in both (page-walk.ts).
 */
export type ConsoleLanguage = 'zh-CN' | 'en';

/** The console's own texts: stories look for what the person reads. */
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

/** Why stories cannot run in a browser here, or false. */
export const withoutBrowser: string | false =
  program === undefined ? 'Chromium is missing (Debian: bash scripts/setup-debian.sh)' : false;

if (withoutBrowser && process.env.CI === 'true') throw new Error(withoutBrowser);

export interface ConsoleBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The browser's complaints: script errors, failed policies, requests to other hosts. */
  readonly complaints: readonly string[];
  /** Runs axe on the page. Throws for serious faults. */
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
const pictures = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '.tmp', 'pictures');
const wideEnough = 900;

let launched: Promise<Browser> | undefined;

/** One program for all stories of a file. */
function sharedProgram(): Promise<Browser> {
  launched ??= chromium.launch({
    ...(program !== undefined && { executablePath: program }),
    headless: true,
    args: [...quiet],
  });
  return launched;
}

after(async () => {
  await (await launched)?.close();
});

/** A browser as of a person who was never here, with nothing remembered. */
export async function openBrowser({
  url,
  language,
  width = 1440,
  dark = false,
}: BrowserOptions): Promise<ConsoleBrowser> {
  const context = await (await sharedProgram()).newContext({
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
  const page = await context.newPage();
  return {
    page,
    context,
    complaints,
    async checkAccess(where) {
      await settled(page);
      // As the debugger, because the page's policy admits no script.
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
    close: () => context.close(),
  };
}

/** The browser reports each answer from 400 on; the console shows it, and the story checks that. */
function isRefusal(text: string): boolean {
  return text.startsWith('Failed to load resource: the server responded with a status of 4');
}

const busy = '.ant-spin-spinning, .ant-skeleton-active';

/** Waits for spinners and fonts. The page's policy forbids `waitForFunction`. */
async function settled(page: Page): Promise<void> {
  while ((await page.locator(busy).count()) > 0) await page.locator(busy).first().waitFor({ state: 'detached' });
  // Two frames, until the page is painted.
  await page.evaluate(
    'document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))))',
  );
}

/** Opens the link of a welcome or an invitation, and sets the first password. */
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

/** A virtual authenticator that keeps passkeys and accepts everything. */
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

/** By the person's own menu. */
export async function signOut(page: Page, { shell, signIn }: ReturnType<typeof textsOf>): Promise<void> {
  await page.locator('header').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: shell.signOut }).click();
  await page.getByRole('heading', { name: signIn.title }).waitFor();
}

/** Gives the password on the sign-in page. The caller waits for the next page. */
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
