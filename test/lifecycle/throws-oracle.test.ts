/**
 * TH1 to TH8: a step throws at each place, behind a payment, and whatever may follow follows: the reply of the payment is lost, the code is put right or not,
 * work is found wrong, another process takes the run up under the same version, another one or none, and a person has the step tried again. A few lines say what the
 * rules have become of it; the product says the same through `attach`.
 */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import { resume, type Sidecar } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, HANG, until } from '../poll.ts';
import { entries, wait } from '../workers/small.ts';

interface Case {
  /** The step that throws: it takes the receipt of the payment, an answer behind it, or an event from outside behind it. */
  readonly at: 'receipt' | 'answer' | 'event';
  /** True where the reply of the payment is lost, and a person says that it happened. */
  readonly lost: boolean;
  readonly complaint: boolean;
  readonly fixed: boolean;
  /** The process that has the run behind it: the same, or another one under this version. */
  readonly next: 'none' | 'same version' | 'another version' | 'no version';
  readonly person: boolean;
}

/** The things that can be seen of a run. */
interface Seen {
  readonly status: string;
  readonly paid: number;
  /** How often a recovery went back. */
  readonly restores: number;
  /** How often the step was tried again, by a process and by a person. */
  readonly tried: readonly [process: number, person: number];
  /** How often the event was taken, where the run is done. */
  readonly heard: number | null;
}

/** The rules, in a few lines. */
function predicted({ at, complaint, fixed, next, person }: Case): Seen {
  // TH2, TH5: another process is a word where it names no version or another one, and nothing is found wrong.
  const byProcess = !complaint && (next === 'another version' || next === 'no version');
  const isOver = byProcess && fixed;
  const byPerson = person && !complaint && !isOver;
  const isDone = fixed && (byProcess || byPerson);
  // TH3, TH4, TH8: only an answer may be asked for again, once for each version of the code that throws on it. That is no trying again of the step:
  // it is done beside what is found wrong of other work, and the step waits for that.
  const isAgain = next === 'another version' && (complaint || !fixed);
  const restores = at === 'answer' ? 1 + Number(isAgain) : 0;
  const tried = [Number(byProcess), Number(byPerson)] as const;
  return { status: isDone ? 'done' : 'parked', paid: 1, restores, tried, heard: isDone && at === 'event' ? 1 : null };
}

const unit = (name: string, state: string, key: string, to: string) =>
  `${name}: { entity: '"it"', states: [${state}], entry: [${state}], outputs: [${key}], exit: [{ id: over, at: ${state} -> ${to}, when: 'true' }], rollback: { anchors: [over], resume: ${state} } }`;

/** A run, its world and its code. */
class Course {
  readonly #case: Case;
  readonly #journal = memoryStore();
  #paid = 0;
  #bug = true;
  #process!: Sidecar;

  constructor(of: Case) {
    this.#case = of;
  }

  async seen(): Promise<Seen> {
    const { lost, fixed, complaint, next, person, at } = this.#case;
    await this.#open(next === 'no version' ? undefined : '1');
    if (lost) await this.#settled();
    if (at === 'event') await this.#told();
    await this.#parked();
    if (complaint) await this.#complain();
    this.#bug = !fixed;
    if (next !== 'none') {
      await this.#process.close();
      await this.#open(next === 'no version' ? undefined : next === 'same version' ? '1' : '2');
      await calm(8);
    }
    if (person) await this.#process.retry({ by: 'ann' }).catch((error) => expect(error.code).toBe('not_advised'));
    await calm(8);
    // A run that lost the event of its step stands nowhere for good.
    const status = await Promise.race([
      this.#process.finished().then((end) => end.status),
      wait(HANG).then(() => 'lost'),
    ]);
    const made = await entries(this.#journal, 'r');
    const { heard } = (this.#process.actor.getSnapshot() as { context: { heard?: number } }).context;
    await this.#process.close();
    const tried = made.filter((entry) => entry.do === 'retried');
    return {
      status,
      paid: this.#paid,
      restores: made.filter((entry) => entry.do === 'decision' && entry.decision.verdict === 'restore').length,
      tried: [tried.filter(({ by }) => by === null).length, tried.filter(({ by }) => by !== null).length],
      heard: status === 'done' && at === 'event' ? (heard ?? 0) : null,
    };
  }

  async #open(version: string | undefined): Promise<void> {
    const { at } = this.#case;
    const pay = tool(async () => {
      this.#paid += 1;
      if (this.#case.lost && this.#paid === 1) throw new Error('the reply is lost');
      return 7;
    });
    const take = (given: object) => {
      if (this.#bug) throw new TypeError('a bug');
      return given;
    };
    const taking = assign(({ event }: { event: unknown }) =>
      take({ id: (event as { output: unknown }).output }),
    ) as never;
    const keeping = assign({ id: ({ event }: { event: unknown }) => (event as { output: unknown }).output }) as never;
    const seeing = assign(({ event }: { event: unknown }) =>
      take({ seen: (event as { output: unknown }).output }),
    ) as never;
    const hearing = assign(({ context }: { context: { heard?: number } }) =>
      take({ heard: (context.heard ?? 0) + 1 }),
    ) as never;
    const behind = { receipt: 'told', answer: 'looking', event: 'waits' }[at];
    const machine = setup({ actors: { pay, look: tool(async () => 1) } }).createMachine({
      id: 'agent',
      context: {},
      initial: 'paying',
      states: {
        paying: { invoke: { src: 'pay', onDone: { target: behind, actions: at === 'receipt' ? taking : keeping } } },
        looking: { invoke: { src: 'look', onDone: { target: 'told', actions: seeing } } },
        waits: { on: { GO: { target: 'told', actions: hearing } } },
        told: { type: 'final' },
      },
    });
    const looks = at === 'answer' ? `, ${unit('Look', 'looking', 'seen', 'told')}` : '';
    const text = `belay: 1\nagent: agent\ntries: 2\ntools: { pay: { writes: [id], effect: irreversible }, look: { effect: none } }\nskeletons: { ${unit('Pay', 'paying', 'id', behind)}${looks} }`;
    const config = loadConfig(text, { file: 'a.yaml' }).config as BoundaryConfig;
    const named = version === undefined ? {} : { version };
    this.#process = await resume(machine, { run: 'r', journal: this.#journal, config, ...named });
    this.#process.actor.start();
  }

  /** TH6: the reply of the payment is lost. Before it is known what became of it there is no step to be tried again. */
  async #settled(): Promise<void> {
    await this.#parked();
    await expect(this.#process.retry({ by: 'ann' })).rejects.toMatchObject({ code: 'not_advised' });
    const [asked] = this.#process.gates();
    await this.#process.settle(asked?.key ?? '', 'confirmed', 7);
    await calm(4);
  }

  async #told(): Promise<void> {
    const waits = () => (this.#process.actor.getSnapshot() as { value: unknown }).value === 'waits';
    await until(waits);
    this.#process.actor.send({ type: 'GO' } as never);
    await calm(4);
  }

  async #parked(): Promise<void> {
    expect((await this.#process.finished()).status).toBe('parked');
  }

  async #complain(): Promise<void> {
    const key = this.#case.at === 'receipt' ? {} : { key: 'id' };
    await this.#process.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Pay', entity: 'it' }, ...key });
  }
}

const BOTH = [false, true] as const;

/** Every combination of what may be. */
function cases(): Case[] {
  const at = (['receipt', 'answer', 'event'] as const).flatMap((at) => BOTH.map((lost) => ({ at, lost })));
  const found = at.flatMap((one) => BOTH.map((complaint) => ({ ...one, complaint })));
  const code = found.flatMap((one) => BOTH.map((fixed) => ({ ...one, fixed })));
  const process = code.flatMap((one) =>
    (['none', 'same version', 'another version', 'no version'] as const).map((next) => ({ ...one, next })),
  );
  return process.flatMap((one) => BOTH.map((person) => ({ ...one, person })));
}

test('what becomes of a step that threw is what the rules say, in every case (TH1 to TH6, TH8)', async () => {
  let [count, done] = [0, 0];
  const wrong: object[] = [];
  for (const one of cases()) {
    const [seen, said] = [await new Course(one).seen(), predicted(one)];
    if (JSON.stringify(seen) !== JSON.stringify(said)) wrong.push({ one, seen, said });
    count += 1;
    done += Number(said.status === 'done');
  }
  expect(wrong).toEqual([]);
  expect([count, done]).toEqual([192, 36]);
});

/** A graph that pays in each of six passes, and meets its limit after the fourth superstep. @returns the payments, and how the run stands. */
async function limited(next: 'same process' | 'same limit' | 'another limit', person: boolean) {
  const paid: number[] = [];
  const pay = graphTool('pay', async ({ input }: { input: { n: number } }) => {
    paid.push(input.n);
    return input.n;
  });
  const log = Annotation<number[]>({ reducer: (a, b) => [...a, ...b], default: () => [] });
  const config = loadConfig(
    'belay: 1\nagent: agent\nkeys: { append: [log] }\ntools: { pay: { effect: irreversible } }\nskeletons: {}',
    { file: 'a.yaml' },
  ).config as BoundaryConfig;
  const journal = memoryStore();
  const opened = async (recursionLimit: number) => {
    const graph = new StateGraph(Annotation.Root({ log }))
      .addNode('pass', async (state) => ({ log: [await pay({ n: state.log.length })] }))
      .addEdge('__start__', 'pass')
      .addConditionalEdges('pass', (state) => (state.log.length < 6 ? 'pass' : '__end__'))
      .compile({ name: 'agent' });
    const run = await resumeGraph(graph, { run: 'r', journal, config, input: {}, settings: { recursionLimit } });
    void run.invoke().catch(() => {});
    await run.finished();
    return run;
  };
  let run = await opened(4);
  if (next !== 'same process') {
    await run.close();
    run = await opened(next === 'same limit' ? 4 : 20);
  }
  if (person) await run.retry({ by: 'ann' }).catch((error) => expect(error.code).toBe('not_advised'));
  const status = await Promise.race([run.finished().then((end) => end.status), wait(HANG).then(() => 'lost')]);
  await run.close();
  return { status, paid };
}

test.each([
  ['same process', false, 'parked'],
  ['same process', true, 'done'],
  ['same limit', false, 'parked'],
  ['same limit', true, 'done'],
  ['another limit', false, 'done'],
  ['another limit', true, 'done'],
] as const)(
  'a limit that was met is met again, but in another limit or by a person: %s, person %s (TH7)',
  async (next, person, status) => {
    const seen = await limited(next, person);
    expect(seen).toEqual({ status, paid: status === 'done' ? [0, 1, 2, 3, 4, 5] : [0, 1, 2, 3] });
  },
);
