/** Finds the Chromium in which pages are tried: BELAY_TEST_CHROMIUM names it, or it has one of its usual names. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { HANG } from './poll.ts';

const USUAL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the browser; null where there is none. */
export const CHROMIUM = process.env.BELAY_TEST_CHROMIUM ?? USUAL.find((path) => existsSync(path)) ?? null;

if (CHROMIUM === null)
  console.warn('NO BROWSER: pages are not tried. Install chromium, or name one in BELAY_TEST_CHROMIUM.');

/** Starts the browser without a window, and without asking anything of the network. */
export function launched(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('there is no browser: test with skipIf(CHROMIUM === null)');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  });
}

/** A page of the browser. What it waits for comes, or the page hangs. */
export async function pageOf(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(HANG);
  return page;
}
