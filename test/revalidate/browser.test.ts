/**
 * A page that changes, in Chromium over a local site that counts what is sent to it: a form is sent once over a lost reply, a reload, a back
 * button and the death of its process, and an act that rests on a view that is no longer shown does not leave.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sidecar, tool } from '../../src/xstate/index.ts';
import { CHROMIUM, launched, pageOf } from '../chromium.ts';
import { calm, until } from '../poll.ts';
import { Dying, settledIn, value } from '../semantics/dying.ts';
import { calls, configOf, type Given, machineOf } from '../semantics/little.ts';

/** What a page of the shop shows. */
interface View {
  readonly item: string;
  readonly cents: number;
  /** How often the item of the page was ordered: a page says nothing of another item. */
  readonly ordered: Readonly<Record<string, number>>;
}

/** What the network loses of a form: nothing, its reply, or itself. */
type Fate = 'nothing' | 'reply' | 'form';

/** A shop of two items. A form has no key: sent twice, it is two orders. The page behind a form has the address of the form. */
class Shop {
  readonly orders: { readonly item: string; readonly cents: number }[] = [];
  cents = 100;
  site = '';
  readonly #server: Server = createServer((request, response) => {
    const item = (request.url ?? '/').slice(1);
    request.resume().on('end', () => {
      if (request.method === 'POST') this.orders.push({ item, cents: this.cents });
      const shown = JSON.stringify({ item, cents: this.cents, ordered: { [item]: this.of(item).length } });
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
      response.end(
        `<!doctype html><title>${item}</title><p>${shown}</p><form method="post"><button>Order</button></form>`,
      );
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.site = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The orders of an item, by what was to be paid. */
  of(item: string): number[] {
    return this.orders.filter((one) => one.item === item).map(({ cents }) => cents);
  }
}

/** The hands of the agent on its tab. */
class Tab {
  readonly page: Page;
  readonly #shop: Shop;
  isDead = () => false;
  presses = 0;
  /** Told once the reply of a form is lost. */
  onLoss: () => Promise<unknown> = async () => {};
  #pressed = '';
  fates: Fate[] = [];

  constructor(page: Page, shop: Shop) {
    this.page = page;
    this.#shop = shop;
  }

  /** Puts the network between the tab and the shop. A browser by itself sends a form again over some connections that are closed. */
  async connected(): Promise<void> {
    await this.page.route('**', async (route) => {
      const fate = route.request().method() === 'POST' ? (this.fates.shift() ?? 'nothing') : 'nothing';
      if (fate === 'reply') await route.fetch();
      await (fate === 'nothing' ? route.continue() : route.abort('connectionreset'));
    });
  }

  async open(item: string): Promise<string> {
    await this.page.goto(`${this.#shop.site}/${item}`, { waitUntil: 'commit' });
    return item;
  }

  /** Asks the server for the page of the tab. To reload the page behind a form would send the form. */
  async look(): Promise<View> {
    if (this.isDead()) return new Promise(() => {});
    const at = this.page.url();
    await this.page.goto(at.startsWith(this.#shop.site) ? at : this.#pressed, { waitUntil: 'commit' });
    return JSON.parse(await this.page.innerText('p'));
  }

  /** Presses the button that is there, whatever page it stands on. */
  async order(): Promise<string> {
    if (this.isDead()) return new Promise(() => {});
    this.presses += 1;
    this.#pressed = this.page.url();
    const isForm = (request: { method(): string }) => request.method() === 'POST';
    const replied = this.page.waitForResponse((response) => isForm(response.request())).then(() => true);
    const failed = this.page.waitForEvent('requestfailed', isForm).then(() => false);
    for (const one of [replied, failed]) one.catch(() => {});
    await this.page.click('button', { noWaitAfter: true });
    if (!(await Promise.race([replied, failed]))) {
      await this.page.waitForURL((url) => !url.href.startsWith(this.#shop.site), { waitUntil: 'commit' });
      await this.onLoss();
      throw new Error('the reply is lost');
    }
    await this.page.waitForLoadState();
    return 'ordered';
  }
}

const machine = (tab: Tab) =>
  machineOf(
    { open: tool(() => tab.open('a')), look: tool(() => tab.look()), order: tool(() => tab.order()) },
    {
      initial: 'looking',
      states: {
        opening: calls('open', 'opened', 'looking'),
        looking: calls('look', 'view', 'seen'),
        seen: {
          always: [
            { guard: ({ context }: Given<View>) => context.view?.item !== 'a', target: 'opening' },
            { target: 'ordering' },
          ],
        },
        ordering: calls('order', 'done', 'end', ['view']),
        end: { type: 'final' },
      },
    },
  );

const config = (order = '', look = '') =>
  configOf(
    {
      open: 'writes: [opened], effect: none',
      look: `writes: [view], effect: none, revalidate: { for: 0s${look} }`,
      order: `reads: [view], writes: [done], effect: irreversible${order}, reconcile: { see: look, applied: 'now.ordered[then.item] > then.ordered[then.item]', always: true }`,
    },
    {
      BUY: {
        states: ['opening', 'looking', 'seen', 'ordering'],
        entry: ['looking'],
        at: 'ordering -> end',
        writes: ['done', 'view', 'opened'],
        rollback: 'tries: 4',
      },
    },
  );

describe.skipIf(CHROMIUM === null)('a page that changes', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launched();
  });
  afterAll(() => browser?.close());

  /** Has the agent order `a` in a tab that shows it. @param acts while the first order waits for a person, if it does. */
  async function course(
    by: {
      fates?: readonly Fate[];
      order?: string;
      look?: string;
      append?: number;
      onLoss?: (tab: Tab) => Promise<unknown>;
    },
    meanwhile?: (page: Page, shop: Shop) => Promise<unknown>,
  ) {
    const shop = new Shop();
    await shop.open();
    const page = await pageOf(browser);
    const tab = new Tab(page, shop);
    await tab.connected();
    await tab.open('b');
    await tab.open('a');
    tab.onLoss = async () => by.onLoss?.(tab);
    tab.fates = [...(by.fates ?? [])];
    const dying = new Dying(
      machine(tab),
      config(by.order, by.look),
      by.append === undefined ? [] : [{ append: by.append, when: 'after' }],
    );
    tab.isDead = () => dying.isDead;
    let life: Sidecar = await dying.attached();
    life.actor.start();
    const asked = () => life.requests()[0]?.gate;
    let approved: string | undefined;
    await until(async () => {
      const gate = asked();
      if (gate !== undefined && gate !== approved) {
        if (approved === undefined) await meanwhile?.(page, shop);
        approved = gate;
        await life.durable();
        await life.answer(gate, 'approved', { by: 'ada' });
      }
      return dying.isDead || ['done', 'parked', 'stuck'].includes(life.status);
    });
    const died = dying.isDead;
    if (died) {
      // What the process had begun in its browser is over.
      await calm(100);
      dying.isDead = false;
      life = await dying.resumed(life);
    }
    const ending = await settledIn(life);
    await life.close();
    await page.close();
    shop.close();
    const parked = ending?.status === 'parked' ? JSON.stringify(ending) : '';
    return { status: ending?.status, at: value(life), orders: [shop.of('a'), shop.of('b')], tab, died, parked };
  }

  test.each([
    ['the reply is lost', ['reply'], 1],
    ['the form is lost, and then the reply', ['form', 'reply'], 2],
  ] as const)('%s: one order', async (_, fates, presses) => {
    const { status, orders, tab } = await course({ fates });
    expect([status, orders, tab.presses]).toEqual(['done', [[100], []], presses]);
  });

  test('the tab shows another item once the reply is lost: that page settles nothing, and a person is asked', async () => {
    const { status, orders, tab } = await course({
      fates: ['reply'],
      onLoss: (tab) => tab.open('b'),
    });
    expect([status, orders, tab.presses]).toEqual(['parked', [[100], []], 1]);
  });

  test('the page is reloaded while a person is asked, and shows another price: it is decided on anew', async () => {
    const { status, orders } = await course({ order: ', gate: true' }, async (page, shop) => {
      shop.cents = 120;
      await page.reload();
    });
    expect([status, orders]).toEqual(['done', [[120], []]]);
  });

  test('the back button leads to another item while a person is asked: its button is not pressed', async () => {
    const { status, orders } = await course({ order: ', gate: true' }, (page) => page.goBack());
    expect([status, orders]).toEqual(['done', [[100], []]]);
  });

  test('a view that has diverged is parked where a person is to say', async () => {
    const { status, orders, parked } = await course({ order: ', gate: true', look: ', else: park' }, (page) =>
      page.goBack(),
    );
    expect([status, orders]).toEqual(['parked', [[], []]]);
    expect(parked).toContain('read_moved');
  });

  test.each([4, 5, 6])('a reply that is lost, and a process that dies at append %i: one order', async (append) => {
    const { status, orders, died } = await course({ fates: ['reply'], append });
    expect([died, status, orders]).toEqual([true, 'done', [[100], []]]);
  });
});
