/** The example of a survey: the frontier goes on over a death, no kept search is made again, and the budget holds. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Found, frontier, type Question, surveyAgent } from '../../examples/survey/machine.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { ledgersOf } from '../../src/reports/index.ts';
import type { AnyStateMachine } from '../../src/xstate/actor.ts';
import { attach } from '../../src/xstate/index.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, settledIn } from '../semantics/dying.ts';
import { VirtualTime } from '../virtual-time.ts';

const FILE = new URL('../../examples/survey/boundaries.yaml', import.meta.url).pathname;
const { config, document } = readConfig(FILE);

/** The questions that were searched, and the reports that were sent. */
class World {
  readonly searched: string[] = [];
  readonly reports: (string | undefined)[] = [];
  isDead = () => false;
  says = (ask: string) => `page about ${ask}`;
  readonly #leads: (nth: string) => string[];

  constructor(leads: (nth: string) => string[]) {
    this.#leads = leads;
  }

  machine(): AnyStateMachine {
    return surveyAgent({
      search: async ({ input: { nth, ask } }: { input: Question }): Promise<Found> => {
        if (this.isDead()) return new Promise(() => {});
        this.searched.push(nth);
        return { says: this.says(ask), leads: this.#leads(nth) };
      },
      reply: async ({ key }) => {
        if (this.isDead()) return new Promise(() => {});
        if (!this.reports.includes(key)) this.reports.push(key);
        return 'sent';
      },
    }) as unknown as AnyStateMachine;
  }
}

/** Plays a run whose process dies at an append. */
async function play(append: number, leads: (nth: string) => string[]) {
  const world = new World(leads);
  return new VirtualTime().during(async () => {
    const reconcilers = {
      findReply: ({ key }: { key: string }) =>
        world.reports.includes(key) ? { is: 'applied', output: 'sent' } : { is: 'not_applied' },
    };
    const dying = new Dying(world.machine(), config as never, [{ append, when: 'after' }], { reconcilers });
    world.isDead = () => dying.isDead;
    let life = await dying.attached();
    life.actor.start();
    void life.finished().catch(() => null);
    const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 100));
    for (let nth = 0; nth < 600 && !dying.isDead && life.status !== 'done'; nth += 1) await turn();
    await turn();
    const died = dying.isDead;
    const before = [...world.searched];
    if (died) {
      dying.isDead = false;
      life = await dying.resumed(life);
    }
    const ending = await settledIn(life);
    const { findings } = context(life) as { findings: Record<string, Found> };
    await life.close();
    return { world, before, died, status: ending?.status, findings: Object.keys(findings).sort() };
  });
}

test('its config has all that a research agent needs of a replay', () => {
  const shape = machineShape(new World(() => []).machine());
  const told = lintConfig(config as never, document, shape, 'research').filter(({ severity }) => severity !== 'note');
  expect(told).toEqual([]);
  const forgetful = loadConfig(readFileSync(FILE, 'utf8').replace('    decides: true\n', ''), { file: 'survey.yaml' });
  const missing = lintConfig(forgetful.config as never, forgetful.document, shape, 'research');
  expect(missing.map(({ code }) => code)).toContain('search_made_again');
});

test('killed at each append, the frontier goes on: a search that was answered is made once, and one report is sent', async () => {
  const leads = (nth: string) => (nth === '1' ? ['why', 'how'] : []);
  let deaths = 0;
  for (let append = 1; ; append += 1) {
    const { world, before, died, status, findings } = await play(append, leads);
    expect([append, status, findings]).toEqual([append, 'done', ['1', '1.1', '1.2']]);
    expect([append, world.reports.length]).toEqual([append, 1]);
    // The search of the death alone may have had no row yet.
    expect([append, world.searched.filter((nth) => nth !== before.at(-1)).length]).toEqual([
      append,
      new Set(world.searched.filter((nth) => nth !== before.at(-1))).size,
    ]);
    if (!died) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(8);
});

test('a frontier that never ends is ended by the budget, over a death, too: twelve searches, and a report of them', async () => {
  for (const append of [5, 12, 19, 1_000]) {
    const { world, status, findings } = await play(append, () => ['why', 'how']);
    // A search that was under way at the death has spent its share, and is made again on it.
    expect([append, status, world.reports.length]).toEqual([append, 'done', 1]);
    expect(findings.length).toBeLessThanOrEqual(12);
    expect(findings.length).toBeGreaterThanOrEqual(11);
    expect(world.searched.length).toBeLessThanOrEqual(append === 1_000 ? 12 : 13);
  }
});

test('a search that is found wrong is made again alone, where it leads to the same questions', async () => {
  const world = new World((nth) => (nth === '1' ? ['why', 'how', 'since when'] : []));
  const held = new Promise<never>(() => {});
  const store = memoryStore();
  const machine = surveyAgent({
    search: async ({ input }) => {
      world.searched.push(input.nth);
      return input.nth === '1.3'
        ? held
        : { says: world.says(input.ask), leads: input.nth === '1' ? ['why', 'how', 'since when'] : [] };
    },
    reply: async () => 'sent',
  });
  const sidecar = await attach(machine as unknown as AnyStateMachine, {
    run: 'r',
    config: config as never,
    journal: store,
  });
  sidecar.actor.start();
  await until(() => world.searched.includes('1.3'));
  world.says = (ask) => `the right page about ${ask}`;
  await sidecar.fail('CONTRACT_VIOLATION', {
    instance: { skeleton: 'Search', entity: '1.1', ordinal: 0 },
    key: 'findings/1.1',
  });
  await until(() => world.searched.filter((nth) => nth === '1.3').length === 2);
  await calm();
  expect(world.searched).toEqual(['1', '1.1', '1.2', '1.3', '1.1', '1.3']);
  const { goal, findings } = (
    sidecar.actor.getSnapshot() as { context: { goal: string; findings: Record<string, Found> } }
  ).context;
  expect([findings['1.1']?.says, frontier({ goal, findings }).map(({ nth }) => nth)]).toEqual([
    'the right page about why',
    ['1.3'],
  ]);
  const rows = [];
  for await (const row of store.read('r')) rows.push(row);
  expect(ledgersOf(rows, 0).budgets).toContainEqual({ budget: 'searches', spent: 6 });
  sidecar.actor.stop();
});
