/** The built site, as `npm run check site` leaves it in reports/site: no dead link, plain texts, a search, a playground. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launched, pageOf } from '../chromium.ts';
import { allBlocks, blocks, read, root } from '../pages.ts';
import { fileAt, serving } from './serving.ts';

const SITE = join(root, 'reports/site');
const BUILT = process.env.BELAY_SITE === '1' && existsSync(join(SITE, 'index.html'));
if (!BUILT)
  console.warn('NO SITE: its links and its search are not tried. npm run check site builds and tries the site.');

const text = (path: string) => readFileSync(join(SITE, path), 'utf8');
const under = (ending: string) =>
  readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
const flat = (words: string) => words.replace(/\s+/g, ' ').trim();
const DOCUMENTS = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);

/** The ids of a page; read once. */
const ids = new Map<string, Set<string>>();
function idsOf(file: string): Set<string> {
  const known = ids.get(file);
  if (known !== undefined) return known;
  const all = [...readFileSync(file, 'utf8').matchAll(/\sid="([^"]+)"/g)].map(([, id]) => plain(id as string));
  ids.set(file, new Set(all));
  return ids.get(file) as Set<string>;
}

const plain = (attribute: string) => attribute.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

/** The links of a page that lead nowhere on the site. */
function dead(page: string): string[] {
  const links = [...text(page).matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) => plain(link as string));
  return [...new Set(links)].filter((link) => {
    if (/^(?:[a-z]+:|\/\/)/.test(link)) return false;
    const [path = '', anchor = ''] = link.split('#');
    const at = path === '' ? `/${page}` : path.startsWith('/') ? path : posix.join('/', posix.dirname(page), path);
    const file = fileAt(SITE, at);
    if (file === null) return true;
    return anchor !== '' && file.endsWith('.html') && !idsOf(file).has(decodeURIComponent(anchor));
  });
}

describe.skipIf(!BUILT)('the site', () => {
  test('has a page for each document', () => {
    const missing = DOCUMENTS.filter(
      (name) => !existsSync(join(SITE, 'docs', name.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'))),
    );
    expect([missing, DOCUMENTS.length > 30]).toEqual([[], true]);
  });

  test('has no link to a page, a file or an anchor that is not there', () => {
    const pages = under('.html');
    expect(pages.length).toBeGreaterThan(DOCUMENTS.length);
    const all = pages.filter((page) => page !== '404.html').map((page) => [page, dead(page)] as const);
    expect(all.filter(([, links]) => links.length > 0)).toEqual([]);
  });

  test('shows the samples of the documents as they are', () => {
    const shown = (page: string) => {
      const html = text(page).replace(/<pre[^>]*><code[^>]*>([\s\S]*?)<\/code><\/pre>/g, (_, code: string) => {
        return `\u0000${code.replace(/<[^>]+>/g, '')}\u0000`;
      });
      const decoded = html.replace(
        /&(lt|gt|quot|amp|#39|#x3C|#x26|#x27|#x60|#123);/g,
        (_, name: string) => ENTITIES[name] ?? '',
      );
      return decoded.split('\u0000').filter((_, index) => index % 2 === 1);
    };
    for (const [document, page] of [
      ['README.md', 'index.html'],
      ['docs/guide.md', 'docs/guide.html'],
      ['docs/loops.md', 'docs/loops.html'],
    ] as const) {
      const samples = allBlocks(read(document)).map(({ content }) => content);
      expect(samples.length).toBeGreaterThan(2);
      const onPage = shown(page).map((sample) => sample.trimEnd());
      for (const sample of samples) expect(onPage).toContain(sample.trimEnd());
    }
  });

  test('lists its pages in llms.txt, and has the whole text of the documents in llms-full.txt', () => {
    const listed = [...text('llms.txt').matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm)];
    expect(text('llms.txt')).toMatch(/^# Belay\n\n> \S.*\n\n## Begin\n/);
    for (const [line, , path] of listed) expect([line, fileAt(SITE, path as string) !== null]).toEqual([line, true]);
    const paths = listed.map(([, , path]) => path);
    for (const name of DOCUMENTS) expect(paths).toContain(`/docs/${name.replace(/README\.md$/, 'index.md')}`);
    const whole = text('llms-full.txt');
    for (const name of ['README.md', 'docs/guide.md', 'docs/semantics.md', 'docs/sidecar.md'])
      expect(whole).toContain(read(name).trim());
  });
});

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#x3C': '<' },
  ...{ '#x26': '&', '#x27': "'", '#x60': '`', '#123': '{' },
};

describe.skipIf(!BUILT || CHROMIUM === null)('the site in a browser', () => {
  let browser: Browser;
  let served = { url: '', stop: (): unknown => null };
  beforeAll(async () => {
    [browser, served] = await Promise.all([launched(), serving(SITE)]);
  });
  afterAll(async () => {
    await browser?.close();
    served.stop();
  });

  test('finds a page by its words, with the keyboard', async () => {
    const page = await pageOf(browser, { viewport: { width: 1280, height: 900 } });
    await page.goto(`${served.url}/`);
    await page.waitForSelector('.VPNavBarSearch button');
    // The page listens once its script runs, which is later than it shows its search button.
    const box = page.locator('.VPLocalSearchBox input:focus');
    while ((await box.count()) === 0) {
      await page.keyboard.press('Control+k');
      await page.waitForTimeout(50);
    }
    await page.keyboard.type('once over a store');
    await page.waitForSelector('.VPLocalSearchBox .result');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/', { waitUntil: 'commit' });
    await page.waitForSelector('.VPLocalSearchBox', { state: 'detached' });
    expect(await page.locator('main').innerText()).toContain('store');
    await page.close();
  });

  test.each([
    ['light', 1280],
    ['dark', 500],
  ] as const)('has the playground on its page (%s, %i wide)', async (colorScheme, width) => {
    const page = await pageOf(browser, { colorScheme, viewport: { width, height: 900 } });
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(`${served.url}/playground.html`);
    await page.waitForSelector('.words');
    expect(flat(await page.locator('.words').innerText())).toBe(flat(blocks(read('README.md'), 'text')[0] as string));
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    for (const path of ['/', '/docs/semantics.html', '/docs/boundary-format.html', '/docs/dart.html']) {
      await page.goto(`${served.url}${path}`);
      await page.waitForSelector('h1');
      expect([path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([path, 0]);
    }
    expect(errors).toEqual([]);
    await page.close();
  });
});
