/** RV6: a look settles what no party can be asked about. Each fate of a click, each class, with and without `always`, and a death at each append. */
import { expect, test } from 'vitest';
import { tool } from '../../src/xstate/index.ts';
import { VirtualTime } from '../virtual-time.ts';
import { Dying, settledIn } from './dying.ts';
import { calls, configOf, machineOf } from './little.ts';

const SETTLES = 5_000;

/** `late`: it is done after its reply was lost, within the time that the page may take to show it. */
const FATES = ['done', 'without effect', 'lost', 'lost before', 'late'] as const;

interface Case {
  readonly class: 'irreversible' | 'idempotent';
  readonly always: boolean;
  /** The fate of the first click; every later one is done. */
  readonly first: (typeof FATES)[number];
  readonly append: number;
  /** True where the click is not given what it rests on. */
  readonly bare: boolean;
}

/** A page: a click adds one to what it shows. */
class Page {
  shows = 0;
  readonly clicks: (string | undefined)[] = [];
  isDead = () => false;
  readonly #done = new Set<string | undefined>();
  readonly #case: Case;

  constructor(one: Case) {
    this.#case = one;
  }

  /** A page whose clicks are idempotent knows their keys. */
  #does(key: string | undefined): void {
    if (this.#case.class === 'idempotent' && this.#done.has(key)) return;
    this.#done.add(key);
    this.shows += 1;
  }

  async look(): Promise<{ readonly hash: number }> {
    if (this.isDead()) return await new Promise(() => {});
    return { hash: this.shows };
  }

  async click(key: string | undefined): Promise<string> {
    if (this.isDead()) return await new Promise(() => {});
    const fate = this.clicks.length === 0 ? this.#case.first : 'done';
    this.clicks.push(key);
    if (fate === 'done' || fate === 'lost') this.#does(key);
    if (fate === 'late') setTimeout(() => this.#does(key), SETTLES / 2);
    if (fate === 'done' || fate === 'without effect') return 'clicked';
    throw new Error('socket hang up');
  }
}

const sleep = (wait: number) => new Promise<void>((resolve) => setTimeout(resolve, wait));

/** Plays a case. @returns how it ended, what the page shows by then, and whether a process died. */
async function play(one: Case) {
  const page = new Page(one);
  const machine = machineOf(
    {
      look: tool(() => page.look()),
      click: tool(({ key }: { key: string | undefined }) => page.click(key)),
    },
    {
      initial: 'look',
      states: {
        look: calls('look', 'page', 'click'),
        click: calls('click', 'clicked', 'end', one.bare ? [] : ['page']),
        end: { type: 'final' },
      },
    },
  );
  const always = one.always ? ', always: true' : '';
  const see = `reconcile: { see: look, applied: 'now.hash != then.hash', settles_within: 5s${always} }`;
  const config = configOf(
    {
      look: "writes: [page], effect: none, revalidate: { for: 0s, same: 'now.hash == then.hash' }",
      click: `reads: [page], writes: [clicked], effect: ${one.class}, ${see}`,
    },
    { ALL: { states: ['look', 'click'], at: 'click -> end', writes: ['clicked', 'page'], rollback: 'tries: 4' } },
  );
  return new VirtualTime().during(async () => {
    const dying = new Dying(machine, config, [{ append: one.append, when: 'after' }], { now: () => Date.now() });
    page.isDead = () => dying.isDead;
    const first = await dying.attached();
    first.actor.start();
    void first.finished().catch(() => null);
    const isOver = () => dying.isDead || ['done', 'parked', 'stuck'].includes(first.status);
    for (let nth = 0; nth < 600 && !isOver(); nth += 1) await sleep(100);
    await sleep(1_000);
    const died = dying.isDead;
    if (!died) {
      const { status } = first;
      // A death in here is one of a run that is over.
      await Promise.race([first.close(), sleep(1_000)]);
      return { status: status === 'running' ? 'none' : status, shows: page.shows, died };
    }
    await sleep(1_000);
    dying.isDead = false;
    const next = await dying.resumed(first);
    const ending = await settledIn(next);
    await next.close();
    return { status: ending?.status ?? 'none', shows: page.shows, died };
  });
}

const CASES: readonly Case[] = (['irreversible', 'idempotent'] as const).flatMap((kind) =>
  [true, false].flatMap((always) =>
    FATES.flatMap((first) =>
      [true, false].flatMap((bare) =>
        Array.from({ length: 14 }, (_, nth) => ({ class: kind, always, first, bare, append: nth + 1 })),
      ),
    ),
  ),
);

test('RV6: every click is made once, and a run that ends knows whether it had an effect: deaths at each append', async () => {
  const wrong: string[] = [];
  const ends = new Map<string, number>();
  let deaths = 0;
  for (const one of CASES) {
    const { status, shows, died } = await play(one);
    deaths += Number(died);
    const isUnseen = one.first === 'without effect' && !one.always;
    const expected = isUnseen ? [0, 1] : [1];
    if (shows > 1) wrong.push(`it shows ${shows}: ${JSON.stringify(one)}`);
    if (status === 'done' && !expected.includes(shows))
      wrong.push(`done, and it shows ${shows}: ${JSON.stringify(one)}`);
    if (status === 'none') wrong.push(`it hangs: ${JSON.stringify(one)}`);
    ends.set(status, (ends.get(status) ?? 0) + 1);
  }
  expect(wrong).toEqual([]);
  expect(deaths).toBeGreaterThan(100);
  expect(ends.get('done') ?? 0).toBeGreaterThan(150);
});
