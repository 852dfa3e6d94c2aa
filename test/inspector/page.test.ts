/** The page of the inspector in a browser: every act by keyboard on real runs, read in light and dark, wide and narrow, and long. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launched, pageOf } from '../chromium.ts';
import { AGENTS, Desk, OFFICE } from '../cli/agents.ts';
import { MAIN } from '../cli/belay.ts';
import { root } from '../pages.ts';
import { long } from './long.ts';
import { parked, Served } from './serving.ts';

/** The pictures of the page lie there, to be looked at. */
const PICTURES = join(root, 'reports', 'pictures');

/** Texts that are painted with less than 11 px, whatever scales them. */
const SMALL = `[...document.querySelectorAll('body *')].flatMap((each) => {
  const isText = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  if (!isText || each.getClientRects().length === 0) return [];
  const scale = each.getScreenCTM?.()?.a ?? 1;
  const size = Number.parseFloat(getComputedStyle(each).fontSize) * scale;
  return size < 10.99 ? [each.textContent.trim() + ' ' + size] : [];
})`;

/** `belay inspect` over a desk. */
async function inspecting(desk: Desk, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'inspect', ...args], { cwd: desk.folder });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: String(chunk).trim(), stop: () => child.kill('SIGINT') };
}

/** Goes on with Tab until what has the focus is called so. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let press = 0; press < 80; press += 1) {
    const text = await page.evaluate<string>(
      '(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent?.trim() ?? ""',
    );
    if (typeof name === 'string' ? text === name : name.test(text)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`nothing called ${name} takes the focus`);
}

/** Opens an act of a run from the list, by keyboard alone. */
async function openAct(page: Page, run: string, act: string | RegExp): Promise<void> {
  await page.getByRole('link', { name: 'Runs' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('table.runs');
  await tabTo(page, run);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.acts');
  await tabTo(page, act);
  await page.keyboard.press('Enter');
  // The focus moves into the form once it is painted, if there is anything to fill in or to press.
  await page.waitForSelector('.form form :focus, .form:not(:has(form))');
}

async function told(page: Page): Promise<string> {
  await page.waitForSelector('.told pre');
  return page.locator('.told pre').innerText();
}

describe.skipIf(CHROMIUM === null)('the page of the inspector', () => {
  const desk = new Desk(AGENTS);
  const office = new Desk(OFFICE);
  let browser: Browser;
  let [order, letters] = [
    { url: '', stop: () => true },
    { url: '', stop: () => true },
  ];

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    browser = await launched();
    const lost = ['--fail-at', 'pay', '--no-reconcilers'];
    await Promise.all([
      desk.ask('run', 'order', '--run', 'lost', '--fail-at', 'ship').then(async () => {
        await desk.ask('run', 'order', '--run', 'other', '--fail-at', 'ship');
        await desk.ask('run', 'order', '--run', 'known', ...lost);
        await desk.ask('run', 'paper', '--run', 'paper', '--fail-at', 'polish', '--when', 'before');
      }),
      office.ask('run', 'office', '--run', 'tale').then(() => office.ask('run', 'office', '--run', 'refused')),
    ]);
    [order, letters] = await Promise.all([inspecting(desk, '--machines', AGENTS), inspecting(office)]);
  });
  afterAll(async () => {
    await browser?.close();
    for (const each of [order, letters]) each.stop();
    desk.clear();
    office.clear();
  });

  async function opened(url: string, options: { dark?: boolean; width?: number } = {}): Promise<Page> {
    const { dark = false, width = 1280 } = options;
    const page = await pageOf(browser, { colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 800 } });
    page.on('dialog', () => {
      throw new Error('a script of a run was run');
    });
    await page.goto(url);
    await page.waitForSelector('table.runs');
    return page;
  }

  test('takes the token out of the address, and keeps the page working when it is read again', async () => {
    const page = await opened(order.url);
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.waitForSelector('table.runs');
    const other = await pageOf(browser);
    await other.goto(order.url.replace(/#.*/, ''));
    expect(await other.getByRole('alert').innerText()).toContain('needs the address that belay inspect has printed');
    await Promise.all([page.close(), other.close()]);
  });

  test.each([
    ['lost', /ship failed in the state shipping/, 'Settle ship: it happened'],
    ['known', /pay failed in the state paying/, 'Settle pay: it happened'],
    ['paper', /polish failed in the state writing.polishing/, 'Rerun'],
  ])('shows the cause of %s and its right act without scrolling', async (run, cause, act) => {
    const page = await opened(order.url);
    await page.getByRole('link', { name: run, exact: true }).press('Enter');
    for (const part of [page.locator('.cause'), page.getByRole('button', { name: act, exact: false }).first()]) {
      const box = await part.boundingBox();
      expect((box?.y ?? 1_000) + (box?.height ?? 0)).toBeLessThan(800);
    }
    expect(await page.locator('.cause').innerText()).toMatch(cause);
    expect(await page.locator('.acts button').first().innerText()).toBe(act);
    await page.close();
  });

  test('opens the run that needs a person with one key', async () => {
    const page = await opened(letters.url);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.acts');
    expect(await page.locator('.cause').innerText()).toContain(
      'send may not be called before a person has approved it',
    );
    expect(await page.locator('.gate pre').innerText()).toContain('"cents": 80');
    await page.close();
  });

  test.each([
    ['tale', 'Approve send', 'approved'],
    ['refused', 'Deny send', 'denied'],
  ])('leaves the answer of %s by keyboard, under the name as it was typed', async (run, act, verdict) => {
    const page = await opened(letters.url);
    await openAct(page, run, act);
    expect(await page.locator('.form').innerText()).toContain('nothing verifies it');
    await page.keyboard.type('Ada <b>Lovelace</b>');
    await page.keyboard.press('Enter');
    expect(await told(page)).toContain(`send of ${run} is ${verdict} by "Ada <b>Lovelace</b>"`);
    await page.getByText(`An answer lies there and is not taken yet: ${verdict} by "Ada <b>Lovelace</b>"`).waitFor();
    const [gate] = await office.json('approvals', run, '--all');
    expect(gate.left).toMatchObject([{ verdict, by: 'Ada <b>Lovelace</b>' }]);
    await page.close();
  });

  test('says where an act needs code, with the command, and does not do it', async () => {
    const page = await opened(letters.url);
    await openAct(page, 'tale', /^Resume/);
    expect(await page.locator('.form').innerText()).toContain("It runs the agent's code.");
    expect(await page.locator('.form form, .form button:enabled').count()).toBe(0);
    expect(await page.locator('.form pre').innerText()).toBe('belay resume tale');
    await page.close();
  });

  test('settles a call by keyboard, and resumes the run to its end', async () => {
    const page = await opened(order.url);
    await openAct(page, 'lost', 'Settle ship: it happened');
    await page.keyboard.type('ada');
    await tabTo(page, /^What the call answered/);
    await page.keyboard.type('"parcel 7"');
    await tabTo(page, /^Do it: Settle ship/);
    await page.keyboard.press('Enter');
    expect(await told(page)).toContain('ship of lost is confirmed by "ada"');
    await openAct(page, 'lost', 'Resume');
    await page.keyboard.press('Enter');
    expect(await told(page)).toMatch(/lost: done/);
    // The page is told by the stream that the run has ended.
    await page.getByText('Nothing: the run is done.').waitFor();
    expect(await desk.json('runs')).toContainEqual(expect.objectContaining({ run: 'lost', standing: 'done' }));
    await page.close();
  });

  test('reconciles and reruns by keyboard, through the verbs', async () => {
    const page = await opened(order.url);
    await openAct(page, 'known', 'Reconcile');
    await page.keyboard.press('Enter');
    expect(await told(page)).toMatch(/known: what became of 1 call is known now/);
    await openAct(page, 'paper', 'Rerun');
    await page.keyboard.press('Enter');
    expect(await told(page)).toMatch(/paper: done/);
    await page.close();
  });

  test('opens the witness of a refusal, and supposes by keyboard', async () => {
    const page = await opened(order.url);
    await page.getByRole('link', { name: 'paper', exact: true }).press('Enter');
    await page.getByRole('link', { name: '1', exact: true }).press('Enter');
    const reason = page.locator('.why details summary').first();
    await reason.press('Enter');
    expect(await page.locator('.witness').first().innerText()).toMatch(/whose step\s+Review::the paper::0, at row \d+/);
    await page.getByRole('checkbox', { name: /the policy let a line cross what Review has committed/ }).press('Space');
    await page.getByText('What the answer would be').waitFor();
    expect(await page.locator('.supposed').innerText()).toMatch(/^restore_joint, level 2/);
    await page.close();
  });

  test.each([
    [false, 1280],
    [true, 500],
  ])('has no serious issue for axe, dark: %s, %i wide, and nothing is wider than the window', async (dark, width) => {
    const page = await opened(order.url, { dark, width });
    const run = await page.getByRole('link', { name: 'paper', exact: true }).getAttribute('href');
    await page.evaluate(axe.source);
    for (const place of [
      '#/',
      run,
      `${run}/decision/1`,
      `${run}/timeline`,
      `${run}/diagram`,
      `${run}/ledger`,
      '#/configs',
    ]) {
      await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
      await page.waitForTimeout(150);
      await page.waitForSelector('h1');
      const { violations } = await page.evaluate<{
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      }>('axe.run()');
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect([place, grave.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([place, []]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await page.close();
  });

  test.each([
    [false, 1280],
    [true, 1280],
    [false, 500],
    [true, 500],
  ])(
    'is read without effort, dark: %s, %i wide: no text below 11 px, no label clipped, each command whole',
    async (dark, width) => {
      const page = await opened(order.url, { dark, width });
      await page.getByRole('link', { name: 'other', exact: true }).press('Enter');
      await page.waitForSelector('.acts');
      const href = await page.evaluate<string>('location.hash');
      expect(await page.locator('.card').first().innerText()).not.toContain('Nothing is wrong');
      expect(await page.locator('.unblock').innerText()).toMatch(/Its key is belay-[\w-]{43}\./);
      const lines = (await page.getByLabel('The commands for this run').innerText()).split('\n');
      expect(lines.filter((line) => line.includes('--as confirmed'))).toEqual([
        expect.stringMatching(/^belay (settle|resume other) .*--as confirmed --output JSON .*--by NAME/),
      ]);
      await tabTo(page, 'Settle ship: it happened');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.form label');
      await page.screenshot({ path: join(PICTURES, `form-${width}-${dark ? 'dark' : 'light'}.png`), fullPage: true });
      expect(
        await page.evaluate(
          '[...document.querySelectorAll("label")].filter((each) => each.scrollWidth > each.clientWidth + 1).length',
        ),
      ).toBe(0);
      for (const place of ['#/', href, `${href}/decision/1`, `${href}/timeline`, `${href}/diagram`, `${href}/ledger`]) {
        await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
        await page.waitForSelector('h1');
        await page.waitForTimeout(200);
        const name = place.split('/').slice(3).join('-') || (place === '#/' ? 'runs' : 'status');
        await page.screenshot({
          path: join(PICTURES, `${name}-${width}-${dark ? 'dark' : 'light'}.png`),
          fullPage: true,
        });
        expect([place, await page.evaluate(SMALL)]).toEqual([place, []]);
      }
      await page.close();
    },
  );

  test('shows names, values and errors that are scripts as text', async () => {
    const script = '<img src=x onerror=alert(1)>\u202egnp.exe<script>alert(1)</script>';
    const shown = '<img src=x onerror=alert(1)>⟦U+202E⟧gnp.exe<script>alert(1)</script>';
    const served = await Served.over(await parked(script, `../${script}\u0007`));
    const page = await opened(served.url);
    await page.getByRole('link', { name: `../${shown}⟦U+0007⟧`, exact: true }).press('Enter');
    await page.waitForSelector('.cause');
    expect(await page.locator('h1').innerText()).toBe(`../${shown}⟦U+0007⟧`);
    const cause = await page.locator('.cause').innerText();
    expect(cause).toContain(shown);
    expect(await page.locator('main script, main img').count()).toBe(0);
    await page.close();
    await served.close();
  });

  test('opens a run of 10,000 steps, and scrolls through it', async () => {
    const served = await Served.over(await long(10_000));
    const page = await opened(served.url);
    const href = await page.getByRole('link', { name: 'long', exact: true }).getAttribute('href');
    const begun = performance.now();
    await page.evaluate(`location.hash = ${JSON.stringify(`${href}/timeline`)}`);
    await page.waitForSelector('.mark');
    const took = performance.now() - begun;
    const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
      const box = document.querySelector('.marks');
      const times = [];
      let last = performance.now();
      const step = (now) => {
        times.push(now - last);
        last = now;
        box.scrollTop = (times.length / 90) * box.scrollHeight;
        if (times.length < 90) requestAnimationFrame(step); else resolve(times.slice(1).sort((a, b) => a - b));
      };
      requestAnimationFrame(step);
    })`);
    const at = (part: number) => (frames[Math.floor(frames.length * part)] ?? 0).toFixed(1);
    console.log(
      `10,000 steps: opened in ${took.toFixed(0)} ms; a frame takes ${at(0.5)} ms (median), ${at(0.95)} ms (p95)`,
    );
    // Only what is seen is in the page.
    expect(await page.locator('.mark').count()).toBeLessThan(100);
    expect(Number(await page.locator('.mark').first().getAttribute('aria-setsize'))).toBeGreaterThan(10_000);
    await page.locator('.marks').press('End');
    await page.getByText('After row').waitFor();
    await page.close();
    await served.close();
  });
});
