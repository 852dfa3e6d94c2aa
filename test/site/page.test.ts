/** The playground in a browser, without the site around it: by keyboard alone, light and dark, wide and narrow. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launched, pageOf } from '../chromium.ts';
import { blocks, read, root } from '../pages.ts';
import { serving } from './serving.ts';

const PICTURES = join(root, 'reports', 'pictures');

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Playground</title>
<link rel="stylesheet" href="/playground.css"><style>body { margin: 0; background: #fff } html.dark body { background: #1b1b1f }
html.dark h1 { color: #dfdfd6 }
html.dark .playground { --vp-c-text-1: #dfdfd6; --vp-c-text-2: #98989f; --vp-c-bg: #1b1b1f; --vp-c-bg-alt: #161618 }</style></head>
<body><main><h1>Playground</h1><div id="at"></div></main><script type="module">
document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
import { mount } from '/main.js'; mount(document.getElementById('at'));
</script></body></html>`;

/** Words as they are read, however they are wrapped. */
const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Goes on with Tab until an element of that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(
      `{ const at = document.activeElement; at?.getAttribute('aria-label') ?? at?.labels?.[0]?.firstChild?.textContent ?? at?.textContent ?? '' }`,
    );
    if (focused.trim() === name) return;
  }
  throw new Error(`nothing called ${name} takes the focus`);
}

describe.skipIf(CHROMIUM === null)('the page of the playground', () => {
  let browser: Browser;
  let served = { url: '', stop: (): unknown => null };

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    execFileSync(process.execPath, ['site/build.mjs', '--playground'], { cwd: root });
    [browser, served] = await Promise.all([launched(), serving(join(root, 'site/.playground'), { '/': PAGE })]);
  });
  afterAll(async () => {
    await browser?.close();
    served.stop();
  });

  async function opened(dark = false, width = 1280): Promise<Page> {
    const page = await pageOf(browser, { colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 900 } });
    page.on('pageerror', (error) => {
      throw error;
    });
    await page.goto(served.url);
    await page.waitForSelector('.words');
    return page;
  }

  const words = async (page: Page) => flat(await page.locator('.words').innerText());

  test("answers the README's trace with the README's text", async () => {
    const page = await opened();
    expect(await page.getByRole('textbox').inputValue()).toBe(blocks(read('README.md'), 'jsonl')[0]);
    expect(await words(page)).toBe(flat(blocks(read('README.md'), 'text')[0] as string));
    await page.close();
  });

  test('takes an example, asks what if, and goes back, by keyboard alone', async () => {
    const page = await opened();
    await tabTo(page, 'Example');
    await page.keyboard.type('A payment');
    await page.waitForFunction(`document.querySelector('.verdict')?.textContent === 'escalate'`);
    await tabTo(page, 'Ask that: if the effect "pay" did not happen');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('.verdict')?.textContent === 'restore'`);
    expect(await page.getByRole('textbox').inputValue()).toContain('"status":"failed","undo":false,"id":"pay"}');
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Undo the last replacement' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('.verdict')?.textContent === 'escalate'`);
    await page.close();
  });

  test('answers each key that is typed, and leads to a malformed line', async () => {
    const page = await opened();
    const trace = page.getByRole('textbox');
    await trace.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('{"do":"leap"}\n');
    await page.waitForSelector('.malformed');
    expect(await page.locator('.malformed').innerText()).toMatch(/^Line 2: unknown_do "leap" is none of /);
    await page.getByRole('button', { name: 'Go to line 2' }).press('Enter');
    expect(await trace.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Delete');
    await page.waitForSelector('.malformed', { state: 'detached' });
    expect(await words(page)).toBe(flat(blocks(read('README.md'), 'text')[0] as string));
    await page.close();
  });

  test.each([
    [false, 1280],
    [true, 1280],
    [false, 500],
    [true, 500],
  ])('has nothing that axe finds, and no scrolling sideways (dark %s, %i wide)', async (dark, width) => {
    const page = await opened(dark, width);
    await page.screenshot({
      path: join(PICTURES, `playground-${width}-${dark ? 'dark' : 'light'}.png`),
      fullPage: true,
    });
    await page.evaluate(axe.source);
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))',
    );
    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.close();
  });
});
