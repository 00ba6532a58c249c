/** The name of a browser, by its user agent. Pure. */

/** The order matters: most browsers name others as well. */
const browsers: readonly (readonly [name: string, form: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\b(?:OPR|Opera)\/(\d+)/],
  ['WeChat', /\bMicroMessenger\/(\d+)/],
  ['QQ', /\bM?QQBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS|Chromium)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[.\d]* (?:Mobile\/\w+ )?Safari\//],
];

const systems: readonly (readonly [name: string, form: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['HarmonyOS', /\b(?:HarmonyOS|OpenHarmony)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** @returns `Chrome 156 · Linux`; undefined for an unknown browser or a program, whose own text says more */
export function browserName(userAgent: string): string | undefined {
  for (const [name, form] of browsers) {
    const [, version] = form.exec(userAgent) ?? [];
    if (version === undefined) continue;
    const system = systems.find(([, hint]) => hint.test(userAgent))?.[0];
    return [`${name} ${version}`, ...(system === undefined ? [] : [system])].join(' · ');
  }
  return undefined;
}
