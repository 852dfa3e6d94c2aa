/** SP1 to SP4 in a machine that goes round three times: commits that speak, a program that is told of each, complaints, deaths at each append. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { loadConfig } from '../../src/index.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { Commit } from '../../src/sidecar/report.ts';
import { tool } from '../../src/xstate/index.ts';
import { VirtualTime } from '../virtual-time.ts';
import { Dying, settledIn, value } from './dying.ts';
import { type Given, machineOf } from './little.ts';

const ROUNDS = 3;
const CLASSES = {
  compensable: 'effect: compensable, undo: un, reconcile: find',
  idempotent: 'effect: idempotent',
  held: 'effect: compensable, undo: un, reconcile: find, buffer: true',
} as const;

interface Case {
  readonly class: keyof typeof CLASSES;
  /** What the program does when it is told: it returns, throws the first time, throws for ever, or its process dies while it is told. */
  readonly program: 'returns' | 'throws' | 'refuses' | 'dies';
  /** The round that is found wrong after the third; null where none is. */
  readonly complains: number | null;
  readonly append: number;
}

const goesRound = assign({ round: ({ context: { round } }: Given) => (round ?? 0) + 1 } as never);

/** A shop that knows its keys, and a program that is told of commits. */
class World {
  readonly acts = new Map<string, number>();
  readonly undone = new Set<string>();
  readonly told: {
    readonly commit: Commit;
    readonly process: number;
    readonly isVisible: boolean;
    readonly isDurable: boolean;
  }[] = [];
  readonly #program: Case['program'];
  process = 0;
  isDead = () => false;
  dies = () => {};
  isDurable: (id: string) => boolean = () => false;

  constructor(program: Case['program']) {
    this.#program = program;
  }

  async pay(key: string | undefined, round: number): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.acts.set(key ?? '', round);
    return round;
  }

  readonly onCommit = async (commit: Commit): Promise<void> => {
    if (this.isDead()) return new Promise(() => {});
    const isFirst = this.told.length === 0;
    const isVisible = commit.calls.every(({ key }) => this.acts.has(key));
    this.told.push({ commit, process: this.process, isVisible, isDurable: this.isDurable(commit.id) });
    if (this.#program === 'refuses' || (this.#program === 'throws' && isFirst)) throw new Error('not now');
    if (this.#program === 'dies' && isFirst) {
      this.dies();
      return new Promise(() => {});
    }
  };
}

function machine(world: World) {
  return machineOf(
    {
      pay: tool(({ input, key }: { input: { round: number }; key: string | undefined }) => world.pay(key, input.round)),
    },
    {
      context: { round: 0 },
      initial: 'pay',
      states: {
        pay: {
          invoke: {
            src: 'pay',
            input: ({ context: { round } }: Given) => ({ round }),
            onDone: {
              target: 'next',
              actions: assign({ receipt: ({ context: { round } }: Given) => `r${round}` } as never),
            },
          },
        },
        next: {
          always: [
            {
              guard: ({ context: { round } }: Given) => (round ?? 0) >= ROUNDS - 1,
              target: 'rest',
              actions: goesRound,
            },
            { target: 'pay', actions: goesRound },
          ],
        },
        rest: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );
}

function config(kind: Case['class']) {
  const text = `belay: 1
agent: m
tools:
  pay: { reads: [round], writes: [receipt, 'shop:{args.round}'], ${CLASSES[kind]} }
skeletons:
  ROUND:
    entity: '"it"'
    states: [pay]
    entry: [pay]
    inputs: [round]
    outputs: [receipt]
    commit: [{ id: paid, at: pay -> next, when: memory.?receipt.hasValue(), message: '"paid " + memory.receipt' }]
    rollback: { anchors: [paid], resume: pay, compensable: undo, joint: [ROUND] }
`;
  const { config: loaded, findings } = loadConfig(text, { file: 'm.yaml' });
  if (loaded === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return loaded;
}

const turns = async (many: number, until: () => boolean) => {
  for (let nth = 0; nth < many && !until(); nth += 1) await new Promise((resolve) => setTimeout(resolve, 50));
};

async function play(one: Case) {
  const world = new World(one.program);
  return new VirtualTime().during(async () => {
    const entries: Entry[] = [];
    const decoder = new EntryDecoder();
    let seq = 0;
    const more = {
      now: () => Date.now(),
      undo: { un: ({ key }: { key: string }) => void world.undone.add(key) },
      reconcilers: {
        find: ({ key }: { key: string }) =>
          world.acts.has(key) ? { is: 'applied', output: world.acts.get(key) } : { is: 'not_applied' },
      },
      onCommit: world.onCommit,
    };
    const dying = new Dying(machine(world), config(one.class), [{ append: one.append, when: 'after' }], more);
    dying.store.onRows = (rows) => {
      for (const row of rows) {
        seq += 1;
        const entry = decoder.entry({ ...row, seq, time: 0 } as never);
        if (entry !== null) entries.push(entry);
      }
    };
    world.isDead = () => dying.isDead;
    world.isDurable = (id) => entries.some((entry) => entry.do === 'committed' && entry.id === id);
    world.dies = () => {
      dying.isDead = true;
    };
    let last = await dying.attached();
    const over = () => ['done', 'parked', 'stuck'].includes(last.status);
    const lives = async () => {
      for (let nth = 0; nth < 3 && dying.isDead; nth += 1) {
        await turns(20, () => false);
        dying.isDead = false;
        world.process += 1;
        // A process may die as it takes the run up.
        let isBack = false;
        const back = dying.resumed(last).finally(() => {
          isBack = true;
        });
        const next = await Promise.race([back, turns(100, () => dying.isDead || isBack).then(() => null)]);
        if (next === null) continue;
        last = next;
        void last.finished().catch(() => null);
        await turns(40, () => dying.isDead);
      }
    };
    const rests = async () => {
      await turns(200, () => dying.isDead || over() || value(last) === 'rest');
      await turns(20, () => dying.isDead);
      await lives();
      await turns(200, () => over() || value(last) === 'rest');
    };
    last.actor.start();
    void last.finished().catch(() => null);
    await rests();
    if (one.complains !== null && value(last) === 'rest') {
      const instance = { skeleton: 'ROUND', entity: 'it', ordinal: one.complains };
      void last.fail('CONTRACT_VIOLATION', { instance, key: 'receipt' } as never).catch(() => null);
      await turns(10, () => false);
      await rests();
      await rests();
    }
    last.actor.send({ type: 'END' } as never);
    // The end waits for the program, whose tries take some time.
    await turns(100, () => dying.isDead || over());
    await lives();
    if (value(last) === 'rest') last.actor.send({ type: 'END' } as never);
    await turns(100, () => dying.isDead || over());
    await lives();
    const ending = await settledIn(last);
    const course = { status: last.status, ending, entries, told: world.told, processes: world.process };
    void last.close();
    return course;
  });
}

type Course = Awaited<ReturnType<typeof play>>;

/** What is wrong with what the journal says of a commit, or null. */
function wrongJournal(one: Case, { entries, told }: Course): string | null {
  const announced = entries.flatMap((entry) => (entry.do === 'announced' ? [entry.id] : []));
  if (new Set(announced).size !== announced.length) return 'one commit is announced twice';
  if (announced.some((id) => !told.some(({ commit }) => commit.id === id))) return 'announced, and nobody was told';
  const end = entries.findIndex((entry) => entry.do === 'end');
  if (end >= 0 && entries.slice(end).some((entry) => entry.do === 'announced')) return 'announced behind the end';
  const said = entries.flatMap((entry) => (entry.do === 'committed' ? [entry.text] : []));
  if (said.some((text) => !/^paid r[012]$/.test(text ?? ''))) return `it says ${said}`;
  return one.program === 'refuses' && announced.length > 0 ? 'announced although the program refused' : null;
}

/** What is wrong with what the program was told, or null. */
function wrongTold(one: Case, { told, processes }: Course): string | null {
  if (told.some(({ isDurable }) => !isDurable)) return 'told before it was durable';
  if (told.some(({ isVisible }) => !isVisible)) return 'told before it was visible';
  if (told.some(({ commit }) => commit.calls.length !== 1 || commit.things.length !== 1)) return 'told of other acts';
  if (one.program === 'refuses') return null;
  const again = told.length - new Set(told.map(({ commit }) => commit.id)).size;
  const most = one.program === 'throws' ? 1 + processes : processes;
  return again > most ? `told again ${again} times in ${processes + 1} processes` : null;
}

/** What is wrong with the end, or null: each commit of the last past was told of, or is named. */
function wrongEnd(one: Case, { status, ending, entries, told }: Course): string | null {
  // Found wrong, an idempotent call answers the same under its key, and a person is asked.
  if (status === 'parked' && one.class === 'idempotent' && one.complains !== null) return null;
  if (status !== 'done') return status;
  const named = ending?.status === 'done' ? (ending.unannounced ?? []) : [];
  if (one.program === 'refuses') return named.length === ROUNDS ? null : `${named.length} commits are named`;
  if (named.length > 0) return 'a commit is named that the program took';
  const announced = new Set(entries.flatMap((entry) => (entry.do === 'announced' ? [entry.id] : [])));
  const texts = new Set(told.filter(({ commit }) => announced.has(commit.id)).map(({ commit }) => commit.message));
  return texts.size === ROUNDS ? null : `told of ${[...texts]}`;
}

const CASES: readonly Case[] = (Object.keys(CLASSES) as Case['class'][]).flatMap((kind) =>
  (['returns', 'throws', 'refuses', 'dies'] as const).flatMap((program) =>
    [null, 0, 2].flatMap((complains) =>
      Array.from({ length: complains === null ? 24 : 10 }, (_, nth) => ({
        ...{ class: kind, program, complains },
        append: complains === null ? nth + 1 : nth * 4 + 1,
      })),
    ),
  ),
);

test('SP1 to SP4: a program is told of each commit once it is there, until it has returned: rounds, complaints, deaths at each append', async () => {
  const wrong: string[] = [];
  let [deaths, again] = [0, 0];
  for (const one of CASES) {
    const course = await play(one).catch((error: unknown) => String(error));
    if (typeof course === 'string') {
      wrong.push(`${course}: ${JSON.stringify(one)}`);
      continue;
    }
    deaths += course.processes;
    again += course.told.length - new Set(course.told.map(({ commit }) => commit.id)).size;
    const why = wrongJournal(one, course) ?? wrongTold(one, course) ?? wrongEnd(one, course);
    if (why !== null) wrong.push(`${why}: ${JSON.stringify(one)}`);
  }
  expect(wrong).toEqual([]);
  expect(deaths).toBeGreaterThan(400);
  expect(again).toBeGreaterThan(100);
});
