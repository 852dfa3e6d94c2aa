/** PA11: a unit that is left by an edge under `discard` leaves nothing in the world but what cannot be undone, and that is named. */
import { describe, expect, test } from 'vitest';
import { loadConfig, memoryStore } from '../../src/index.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { ledgersOf } from '../../src/reports/index.ts';
import { attach, resume } from '../../src/xstate/index.ts';
import { unlessItHangs, until } from '../poll.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import { calls, held, machineOf, run, World } from './little.ts';

const UNDOABLE = 'effect: compensable, undo: un, reconcile: find, timeout: 2s';

/** What the tools of the unit are, and what its successor reads. */
interface Shape {
  readonly draft?: string;
  readonly translate?: string;
  readonly say?: string;
  /** True where the translation is all of the unit. */
  readonly isShort?: boolean;
  /** True where a unit before it looks the language up. */
  readonly isLookedUp?: boolean;
}

function configOf({ draft = UNDOABLE, translate = UNDOABLE, say = 'reads: [lang]' }: Shape) {
  const text = `
belay: 1
agent: m
tools:
  look: { writes: [lang], effect: none }
  draft: { reads: [lang], writes: [drafted], ${draft} }
  translate: { reads: [lang], writes: [text], ${translate} }
  say: { ${say}, writes: [said], effect: none }
skeletons:
  LOOK:
    entity: '"it"'
    states: [looking]
    entry: [looking]
    outputs: [lang]
    exit: [{ id: seen, at: looking -> drafting, when: memory.?lang.hasValue() }]
    rollback: { anchors: [seen], resume: looking }
  TEXT:
    entity: '"it"'
    states: [drafting, translating]
    entry: [drafting]
    inputs: [lang]
    outputs: [drafted, text]
    exit: [{ id: over, at: translating -> saying, when: memory.?text.hasValue() }]
    discard: [{ id: skipped, at: translating -> saying }]
    rollback: { anchors: [over], resume: drafting, compensable: undo }
  SAY:
    entity: '"it"'
    states: [saying]
    entry: [saying]
    inputs: [${say.startsWith('reads: [lang, drafted]') ? 'lang, drafted' : 'lang'}]
    outputs: [said]
    exit: [{ id: said, at: saying -> end, when: memory.?said.hasValue() }]
    rollback: { anchors: [said], resume: saying }
`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return config;
}

/** drafting; translating; saying; end. SKIP discards the text while its translation is under way, and AGAIN begins another one. */
function agent(shape: Shape = {}) {
  const { isShort = false, isLookedUp = false } = shape;
  const world = new World();
  const [act, rest] = [held<string>(), held<string>()];
  const machine = machineOf(
    {
      look: world.tool('look', () => 'en'),
      draft: world.tool('draft'),
      translate: world.tool('translate', () => act.promise),
      say: world.tool('say', () => rest.promise),
    },
    {
      initial: isLookedUp ? 'looking' : 'drafting',
      context: { lang: 'en' },
      states: {
        looking: calls('look', 'lang', 'drafting'),
        drafting: isShort ? { always: 'translating' } : calls('draft', 'drafted', 'translating', ['lang']),
        translating: { on: { SKIP: 'saying' }, ...calls('translate', 'text', 'saying') },
        saying: { on: { AGAIN: 'drafting' }, ...calls('say', 'said', 'end') },
        end: { type: 'final' },
      },
    },
  );
  return { world, act, rest, machine, config: configOf(shape) };
}

/** The answer of the counterparty: what it has done, and knows. */
const knows = (world: World) => ({
  find: ({ key }: { key: string }) => {
    const done = world.acts.find((each) => each.key === key);
    return done === undefined ? { is: 'not_applied' } : { is: 'applied', output: `${done.tool}0` };
  },
});

async function begun(of = agent()) {
  const findings: string[] = [];
  const onFinding = ({ code }: { readonly code: string }) => void findings.push(code);
  const journal = memoryStore();
  const options = { journal, undo: of.world.undo, reconcilers: knows(of.world), onFinding };
  const it = await run(of.machine, of.config, options as never);
  await until(() => of.world.count('translate') === 1);
  const [draft, translate] = [of.world.keys('draft')[0], of.world.keys('translate')[0]] as [string, string];
  const effects = async () => ledgersOf(await gathered(journal.read('r')), Date.now()).effects;
  return { ...of, it, draft, translate, findings, effects, journal };
}

describe('PA11: a unit that is left by an edge under discard', () => {
  test('leaves nothing in the world, and nothing in the context', async () => {
    const { world, act, rest, it, draft, translate, findings } = await begun();
    it.send('SKIP');
    act.resolve('late');
    await until(() => world.undone.length === 2);
    rest.resolve('said');
    expect(await it.ending()).toEqual({ status: 'done', output: undefined });
    expect(world.undone).toEqual([translate, draft]);
    expect(it.context()).toEqual({ lang: 'en', said: 'said' });
    expect(findings.filter((code) => code === 'left_standing' || code === 'discard_refused')).toEqual([]);
    expect(it.verdicts()).toEqual([]);
  });

  test('names what cannot be undone in ledger and ending, and is not parked over it', async () => {
    const { world, act, rest, it, draft, translate, effects } = await begun(agent({ draft: 'effect: irreversible' }));
    it.send('SKIP');
    act.resolve('late');
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'done', standing: [draft] });
    expect(world.undone).toEqual([translate]);
    expect(await effects()).toMatchObject([
      { key: draft, status: 'confirmed', stands: expect.stringContaining('irreversible') },
      { key: translate, status: 'compensated', stands: null },
    ]);
  });

  test('takes its exit on the same edge where that certifies', async () => {
    const { world, act, rest, it } = await begun();
    act.resolve('wanted');
    rest.resolve('said');
    expect(await it.ending()).toEqual({ status: 'done', output: undefined });
    expect([world.undone, it.context()]).toEqual([[], { lang: 'en', drafted: 'draft0', text: 'wanted', said: 'said' }]);
  });

  test('is not discarded where others rest on what it wrote: nothing moves, and a finding says so', async () => {
    const { world, act, rest, it, translate, findings } = await begun(agent({ say: 'reads: [lang, drafted]' }));
    it.send('SKIP');
    act.resolve('late');
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'done', standing: [translate] });
    expect([world.undone, it.context()]).toEqual([[], { lang: 'en', drafted: 'draft0', said: 'said' }]);
    expect(findings).toEqual(expect.arrayContaining(['discard_refused', 'left_standing']));
  });

  test('leaves what never happened refused, and what is unknown to its end', async () => {
    const of = agent();
    const { world, act, rest, it, draft } = await begun(of);
    const [lost] = world.acts.splice(
      world.acts.findIndex(({ tool }) => tool === 'translate'),
      1,
    );
    it.send('SKIP');
    act.reject(new Error('lost'));
    await until(() => world.undone.length === 1);
    rest.resolve('said');
    expect(await it.ending()).toEqual({ status: 'done', output: undefined });
    expect([lost?.tool, world.undone]).toEqual(['translate', [draft]]);
  });

  test('waits out a pause, and a cancel finishes what was begun', async () => {
    const { world, act, rest, it, draft, translate } = await begun();
    await it.sidecar.pause({ by: 'ann' });
    it.send('SKIP');
    act.resolve('late');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(world.undone).toEqual([]);
    await it.sidecar.unpause({ by: 'ann' });
    await until(() => world.undone.length === 2);
    await it.sidecar.cancel({ by: 'ann' });
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'cancelled', standing: [] });
    expect(world.undone).toEqual([translate, draft]);
  });

  test('is discarded once, and a complaint about it changes nothing', async () => {
    const { world, act, rest, it } = await begun();
    it.send('SKIP');
    act.resolve('late');
    await until(() => world.undone.length === 2);
    await it.wrong('TEXT');
    await it.wrong('TEXT', 'drafted').catch(() => {});
    rest.resolve('said');
    expect((await it.ending()).status).toBe('done');
    expect([world.count('draft'), world.count('translate'), world.undone.length, it.verdicts()]).toEqual([1, 1, 2, []]);
  });

  test('is done again as a whole where what it rested on is found wrong later', async () => {
    const { world, act, rest, it, draft, translate } = await begun(agent({ isLookedUp: true }));
    it.send('SKIP');
    act.resolve('late');
    await until(() => world.undone.length === 2);
    await it.wrong('LOOK');
    await until(() => world.count('translate') === 2);
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'done', untaken: [{ event: 'SKIP' }] });
    // The event waits for its sender (C1b).
    expect([world.count('look'), world.keys('draft'), world.keys('translate')]).toEqual([
      2,
      [draft, `${draft}~1`],
      [translate, `${translate}~1`],
    ]);
    expect([world.undone, it.context().text]).toEqual([[translate, draft], 'late']);
  });

  test('keeps the identity of what stands: the same act is answered by the first, and not made again', async () => {
    const once = 'effect: irreversible, once: [args.lang]';
    const { world, act, rest, it, draft, effects } = await begun(agent({ draft: once }));
    it.send('SKIP');
    act.resolve('late');
    await until(() => world.undone.length === 1);
    it.send('AGAIN');
    await until(() => world.count('translate') === 2);
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'done', standing: [draft] });
    expect([world.count('draft'), it.context()]).toEqual([
      1,
      { lang: 'en', drafted: 'draft0', text: 'late', said: 'said' },
    ]);
    expect((await effects()).filter(({ repeats }) => repeats === draft)).toHaveLength(1);
  });

  test('leaves nothing of case 46: one translation that is skipped', async () => {
    const { world, act, rest, it, translate } = await begun(agent({ isShort: true }));
    it.send('SKIP');
    act.resolve('late');
    rest.resolve('said');
    expect(await it.ending()).toEqual({ status: 'done', output: undefined });
    expect([world.undone, it.context()]).toEqual([[translate], { lang: 'en', said: 'said' }]);
  });

  test.each(['after', 'lost'] as const)(
    'is discarded to its end, whichever append its process dies at (%s)',
    async (when) => {
      let append = 1;
      while (await killed({ append, when })) append += 1;
      expect(append).toBeGreaterThan(10);
    },
  );
});

/** Has a process die at an append of a discard, and the next one finish it. @returns false where the run had no such append. */
async function killed(death: Death): Promise<boolean> {
  const { world, act, rest, machine, config } = agent();
  const store = new MortalStore([death]);
  let isDead = false;
  store.onDeath = () => {
    isDead = true;
  };
  const options = async () => {
    const journal = await store.next('r');
    return { run: 'r', config, journal, undo: world.undo, reconcilers: knows(world) } as never;
  };
  const dead = until(() => isDead);
  const first = await Promise.race([attach(machine, await options()), dead.then(() => null)]);
  if (first !== null) {
    first.actor.start();
    await until(() => isDead || world.count('translate') === 1);
    if (!isDead) first.actor.send({ type: 'SKIP' } as never);
    act.resolve('late');
    await Promise.race([until(() => world.undone.length === 2), until(() => isDead)]);
    rest.resolve('said');
    await Promise.race([first.finished(), until(() => isDead)]);
    first.actor.stop();
  }
  void dead.catch(() => {});
  if (isDead) await finished(await resume(machine, await options()), { world, act, rest }, death);
  return isDead;
}

/** The next process of such a run: where the text is not wanted, nothing of it is left. */
async function finished(
  next: Awaited<ReturnType<typeof resume>>,
  { world, act, rest }: Pick<ReturnType<typeof agent>, 'world' | 'act' | 'rest'>,
  death: Death,
): Promise<void> {
  const now = () => next.actor.getSnapshot() as { value: unknown; context: Record<string, unknown> };
  next.actor.start();
  await until(() => now().value !== 'drafting');
  if (now().value === 'translating') next.actor.send({ type: 'SKIP' } as never);
  rest.resolve('said');
  act.resolve('late');
  const { status } = await unlessItHangs(next.finished(), () => `hangs after ${JSON.stringify(death)}`);
  const { context } = now();
  const acts = world.acts.filter(({ tool }) => tool !== 'say').map(({ key }) => key as string);
  const left = acts.filter((key) => !world.undone.includes(key));
  expect([death, status, context.text === undefined ? left : []]).toEqual([death, 'done', []]);
  if (context.text === undefined) expect([death, context]).toEqual([death, { lang: 'en', said: 'said' }]);
  await next.close().catch(() => {});
}
