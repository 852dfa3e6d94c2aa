/**
 * Runs that stand still, and a person on call who does only what is printed: `belay explain` names commands, the person types those that are true of the
 * world, and each has to take the run on, or lead to the next ones.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { movesOn, relevantCalls } from '../../../src/cli/explain/moves.ts';
import { runCommand } from '../../../src/cli/program.ts';
import { type ReadRun, readRun } from '../../../src/cli/reading/reading.ts';
import { offered } from '../../../src/inspector/views/acts.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { needsPerson, waitsOf } from '../../../src/reports/waits.ts';
import { type Sequence, sequences, sequenceText } from '../../commands/commands.ts';
import { Driver } from '../../commands/driver.ts';
import { configOf, LABS } from '../../commands/machines.ts';
import { Player } from '../../commands/player.ts';
import { Tally } from '../../commands/tally.ts';
import { World } from '../../commands/world.ts';
import { caught } from '../caught.ts';

/** A run that a person cannot take on by what is printed. */
class DeadEnd extends Error {}

/** Acts that one person does about one run. */
const ACTS = 12;

/** What was met and done, by name. */
export type Met = Record<string, number>;

interface Desk {
  readonly driver: Driver;
  readonly folder: string;
  /** True while the program that began the run has it. */
  held: boolean;
}

/** The run as its journal has it. */
async function readAt({ folder }: Desk): Promise<ReadRun & { readonly head: number }> {
  const store = sqliteStore(join(folder, 'journal.db'), { readonly: true });
  try {
    const summary = store.run('r');
    return { ...(await readRun(store, 'r')), head: summary?.head ?? 0 };
  } finally {
    await store.close();
  }
}

function belay({ folder }: Desk, args: readonly string[]) {
  return caught(runCommand, { args, input: '', env: {}, cwd: folder });
}

/** The commands that `belay explain` prints, as words. */
async function printed(desk: Desk): Promise<string[][]> {
  const { code, out, err } = await belay(desk, ['explain', 'r', '--journal', 'journal.db']);
  if (code !== 0) throw new DeadEnd(`belay explain ends with ${code}: ${err}`);
  return out.split('\n').flatMap((line) => {
    const typed = /^ {2}belay (.*)$/.exec(line)?.[1];
    return typed === undefined ? [] : [wordsOf(typed)];
  });
}

/** The words of a command line, as a shell reads them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|\\(')/g,
      (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? '',
    ),
  );
}

/** The command with the words that only a person has; null where it would be a lie. */
function honest(words: readonly string[], read: ReadRun, { driver: { world } }: Desk): string[] | null {
  const as = words[words.indexOf('--as') + 1];
  const filled = words.map((word) => (word === 'NAME' ? 'ada' : word === 'N' ? '0' : word));
  if (!words.includes('--as')) return filled;
  const key = keyOf(words, read);
  if (key === null) throw new DeadEnd(`no call is meant by: ${words.join(' ')}`);
  const truth = world.truth(key);
  if (as === 'compensated') {
    const act = world.standing(key);
    if (act !== undefined) act.stands = false;
    return filled;
  }
  if ((as === 'confirmed') !== (truth.is === 'applied')) return null;
  const output = truth.is === 'applied' ? JSON.stringify(truth.output) : '';
  return filled.map((word) => (word === 'JSON' ? output : word));
}

/** The key of the call that a command is about. */
function keyOf(words: readonly string[], read: ReadRun): string | null {
  const { ledger, asked } = read.runState;
  if (words[0] === 'settle') {
    const about = words[1] ?? '';
    return words.includes('--run') ? (ledger.named(about)?.key ?? null) : (asked.get(about)?.key ?? null);
  }
  const name = words[words.indexOf('--settle') + 1] ?? '';
  const at = /^row (\d+)$/.exec(name)?.[1];
  const found = at === undefined ? relevantCalls(read).filter(({ tool }) => tool === name) : [];
  if (found.length === 1) return found[0]?.key ?? null;
  const isMeant = (key: string) => at !== undefined && read.eventRows.called(key)?.seq === Number(at);
  return [...ledger.all()].find(({ key }) => isMeant(key))?.key ?? null;
}

/** Does what is printed until no person is needed any more. */
async function follow(desk: Desk, met: Met): Promise<void> {
  const tried = new Set<string>();
  for (let acts = 0; acts < ACTS; acts += 1) {
    if (desk.held) await desk.driver.quiet();
    const read = await readAt(desk);
    const waits = waitsOf(read.standing.is, read.waits, { held: read.held, last: read.times?.last ?? null });
    // A run in which nothing is in question was taken up, and waits for an event from outside: that no person owes it.
    const isIdle = read.standing.is === 'open' && tried.has(`${read.head} resume`);
    const isOver = read.held || isIdle || read.standing.is === 'done' || read.standing.is === 'cancelled';
    if (!needsPerson(waits) && isOver) {
      count(met, `ends ${read.standing.is}`);
      return;
    }
    const stands = `${read.standing.is}${read.held ? ', held' : ''}`;
    count(met, `met ${stands}`);
    const commands = await printed(desk);
    if (commands.length === 0)
      throw new DeadEnd(`nothing is printed for a run that is ${stands}: ${JSON.stringify(waits)}`);
    if (movesOn(read, 'journal.db').length > 0 && pageOffers(read) === 0)
      throw new DeadEnd(`the page offers nothing for a run that is ${stands}`);
    const next = commands.find((words) => {
      const at = `${read.head} ${words.join(' ')}`;
      // This person approves, and never denies.
      return words[0] !== 'deny' && !tried.has(at) && honest(words, read, desk) !== null && tried.add(at);
    });
    if (next === undefined)
      throw new DeadEnd(`nothing that is printed takes the run on (${stands}): ${commands.join('; ')}`);
    await typed(desk, honest(next, read, desk) as string[], met);
    if (next[0] === 'resume') tried.add(`${(await readAt(desk)).head} resume`);
  }
  count(met, 'still asked after many acts');
}

/** For so many looks in a row nothing may happen, this far apart in milliseconds. */
const LOOKS = 10;
const APART = 30;

/**
 * Runs a command as a process of its own would: that ends a run which only waits once nothing is left to do. In this process there is always more, so
 * that it is told when neither the journal nor the world has moved for a while.
 */
async function atRest<T>(desk: Desk, run: () => Promise<T>): Promise<T> {
  const { world } = desk.driver;
  const others = new Set(process.listeners('beforeExit'));
  let [calm, before] = [0, ''];
  const look = async () => {
    const now = `${(await readAt(desk)).head} ${world.activity}`;
    calm = now === before && world.busy === 0 ? calm + 1 : 0;
    before = now;
    if (calm < LOOKS) return;
    calm = 0;
    for (const listener of process.listeners('beforeExit')) if (!others.has(listener)) listener.call(process, 0);
  };
  const looking = setInterval(() => void look().catch(() => {}), APART);
  try {
    return await run();
  } finally {
    clearInterval(looking);
    for (const listener of process.listeners('beforeExit'))
      if (!others.has(listener)) process.off('beforeExit', listener);
  }
}

/** Types one command. A command that needs the code finds it in the folder. */
async function typed(desk: Desk, words: readonly string[], met: Met): Promise<void> {
  const code = words[0] === 'resume' ? ['--machines', 'agents.mjs'] : [];
  const told = await atRest(desk, () => belay(desk, [...words, ...code]));
  count(met, `typed ${words[0]}${words.includes('--all') ? ' --all' : ''}: ${told.code}`);
  if (told.code === 2) throw new DeadEnd(`belay ${words.join(' ')} ends with 2: ${told.err}${told.out}`);
}

/** The number of acts that the inspector offers and that change something. */
function pageOffers(read: ReadRun): number {
  const summary = { run: 'r', held: read.held };
  return offered({ timeline: read, summary } as unknown as Parameters<typeof offered>[0], Date.now()).length;
}

function count(met: Met, what: string): void {
  met[what] = (met[what] ?? 0) + 1;
}

/** Plays a sequence, leaves the run as it stands, to its process or to nobody, and lets the person on call do what is printed. */
async function play(sequence: Sequence, isHeld: boolean, isPaused: boolean, met: Met): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-oncall-'));
  const driver = new Driver(sequence.lab, new World(sequence.faults), folder);
  const desk: Desk = { driver, folder, held: true };
  try {
    const player = new Player(driver, new Tally());
    await driver.open();
    for (const given of sequence.given) await player.play(given);
    await player.calm();
    if (isPaused) await driver.sidecar.pause({ by: 'bob' }).catch(() => {});
    Object.assign(driver.world, { knows: true, undoes: true });
    agentsIn(desk, sequence);
    if (!isHeld) {
      await driver.sidecar.close();
      desk.held = false;
    }
    await follow(desk, met);
  } finally {
    await driver.end().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}

let modules = 0;

/** Writes the module that `belay resume` finds the agent in: it hands on what this process has. */
function agentsIn({ driver, folder }: Desk, { lab }: Sequence): void {
  const { world } = driver;
  modules += 1;
  const name = `__oncall${modules}`;
  writeFileSync(join(folder, `${lab}.yaml`), LABS[lab].config);
  const agent = {
    about: 'a machine of the commands',
    machine: LABS[lab].machine(world),
    config: join(folder, `${lab}.yaml`),
    open: async () => ({
      machine: LABS[lab].machine(world),
      reconcilers: { find: ({ key }: { key: string }) => world.ask(key) },
      undo: { un: ({ key, undoKey }: { key: string; undoKey: string }) => world.undo(key, undoKey) },
      close: async () => {},
    }),
  };
  configOf(lab);
  (globalThis as Record<string, unknown>)[name] = [agent];
  writeFileSync(join(folder, 'agents.mjs'), `export const agents = globalThis.${name};\n`);
}

/** Plays so many sequences from a seed. @returns what was met, and the first sequence that ends in a dead end; null where none does. */
export async function campaign(
  runs: number,
  seed: number,
  path?: string,
): Promise<{ met: Met; failure: string | null }> {
  const met: Met = {};
  const drawn = fc.tuple(sequences(), fc.boolean(), fc.nat({ max: 4 }));
  const details = await fc.check(
    fc.asyncProperty(drawn, ([sequence, isHeld, pause]) => play(sequence, isHeld, pause === 0, met)),
    { numRuns: runs, seed, endOnFailure: true, ...(path !== undefined && { path }) },
  );
  if (!details.failed) return { met, failure: null };
  const [[sequence, isHeld, pause]] = details.counterexample as [[Sequence, boolean, number]];
  const { errorInstance: error } = details;
  const said = error instanceof DeadEnd ? error.message : error instanceof Error ? error.stack : String(error);
  const how = `${isHeld ? 'held' : 'left'}${pause === 0 ? ', paused' : ''}`;
  return {
    met,
    failure: `${said}\n${how}\n${sequenceText(sequence)}\nagain: npm run prove soak-oncall -- --seed ${seed} --path ${details.counterexamplePath ?? '0'}`,
  };
}
