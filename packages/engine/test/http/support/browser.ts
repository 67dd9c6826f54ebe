import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { cleanUp, cleanUpAfterFile } from '@contract-first/testing/cleanup.ts';

export type OpenPage = {
  readonly page: Page;
  /** The errors, warnings and content security policy violations reported so far. */
  readonly complaints: readonly string[];
  /** The origins requested so far. */
  readonly origins: ReadonlySet<string>;
};

let browser: Promise<Browser> | undefined;

/** Opens a page in a headless browser with an empty profile. Closes the browser when the test ends. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  browser ??= launchBrowser();
  const page = await (await browser).newPage(options);
  cleanUp(() => page.close());
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(url);
  return { page, complaints, origins };
}

// The headless shell needs half the CPU time of a whole browser.
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

async function launchBrowser(): Promise<Browser> {
  cleanUpAfterFile(async () => {
    const launched = await browser;
    browser = undefined;
    await launched?.close();
  });
  // Chromium's sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: findBrowser(), args });
}

function findBrowser(): string {
  const chosen = process.env['CHROME_PATH'];
  if (chosen !== undefined) return chosen;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'no browser found: install Chromium (apt-get install chromium-headless-shell), or set CHROME_PATH to one',
  );
}

/** An expression for the browser that returns texts with too little contrast. */
export const FAINT_TEXTS = `
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const brightness = ([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255];
  const colorBehind = (element) => {
    if (element === null) return canvas;
    const [red, green, blue, alpha = 1] = parse(getComputedStyle(element).backgroundColor);
    const behind = colorBehind(element.parentElement);
    return [red, green, blue].map((part, index) => part * alpha + behind[index] * (1 - alpha));
  };
  const isFaint = (element) =>
    Math.abs(brightness(parse(getComputedStyle(element).color)) - brightness(colorBehind(element))) < 60;
  const hasText = ({ childNodes }) => [...childNodes].some(({ data }) => data?.trim());
  [...document.querySelectorAll('body *')].filter((element) => hasText(element) && isFaint(element))
    .map(({ className, textContent }) => className + ': ' + textContent)`;
