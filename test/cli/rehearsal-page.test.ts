/** The page of a rehearsal, in a browser: its letters open what happened, the line and the witness, by mouse and by keyboard. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launched } from '../chromium.ts';
import { Desk } from './agents.ts';

/** The colours of each letter, heading and timeline, and of what is behind it; read in the page. */
const COLOURS = `[...document.querySelectorAll('a.cell, h1, pre')].map((part) => {
  const own = getComputedStyle(part);
  const ground = part.tagName === 'H1' ? getComputedStyle(document.body) : own;
  return [own.color, ground.backgroundColor];
})`;

describe.skipIf(CHROMIUM === null)('the page of a rehearsal', () => {
  const desk = new Desk();
  let [html, browser]: [string, Browser | null] = ['', null];

  beforeAll(async () => {
    browser = await launched();
    html = (await desk.ask('rehearse', 'order', '--format', 'html')).out;
  });
  afterAll(async () => {
    await browser?.close();
    desk.clear();
  });

  async function opened(colorScheme: 'light' | 'dark' = 'light', width = 1280) {
    const page = await (browser as Browser).newPage({ colorScheme, viewport: { width, height: 900 } });
    await page.setContent(html);
    return page;
  }

  test('opens the timeline, the line and what would unblock the run at a click, and nothing before', async () => {
    const page = await opened();
    const run = page.locator('section.run.parked:target');
    expect(await run.count()).toBe(0);
    expect(await page.locator('section.run.parked').first().isVisible()).toBe(false);
    await page.getByRole('link', { name: /pay#1 fails before it acts; its reconciler does not know/ }).click();
    const text = await run.innerText();
    expect(text).toContain('order.yaml:5');
    expect(text).toContain('Ask findPayment, the reconciler of pay');
    expect(text).toContain('pay#1 fails: rehearsed: pay fails before it acts');
    await run.getByRole('link', { name: 'Back to the matrix' }).click();
    expect(await run.count()).toBe(0);
    await page.close();
  });

  test('opens it by keyboard, and shows which letter has the focus', async () => {
    const page = await opened();
    await page.keyboard.press('Tab');
    const focused = page.locator('a.cell:focus');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    const target = await focused.getAttribute('href');
    await page.keyboard.press('Enter');
    expect(await page.locator(target as string).isVisible()).toBe(true);
    await page.close();
  });

  test('shows every harm from the beginning, with the line that fixes it', async () => {
    const page = await opened();
    const harms = page.locator('section.run.harm');
    expect(await harms.count()).toBe(6);
    expect(await harms.first().isVisible()).toBe(true);
    expect(await harms.first().innerText()).toMatch(/order\.yaml:\d+ give \w+ a timeout/);
    await page.close();
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 500],
    ['dark', 500],
  ] as const)(
    'can be read in %s, %i wide: nothing is wider than the window, and letters differ from their ground',
    async (scheme, width) => {
      const page = await opened(scheme, width);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      const colours = await page.evaluate<string[][]>(COLOURS);
      const channels = (colour = '') => (colour.match(/\d+/g) ?? []).slice(0, 3).map(Number);
      const light = (colour = '') => channels(colour).reduce((sum, value) => sum + value, 0) / 3;
      for (const [ink, ground] of colours) expect(Math.abs(light(ink) - light(ground))).toBeGreaterThan(90);
      await page.close();
    },
  );
});
