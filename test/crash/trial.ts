/**
 * One trial: an agent runs, is killed as often as it is told to be, is started again, and has to end where it would have ended.
 * What is wrong is a list of sentences; the tests and the soak expect it to be empty.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { StoredRow } from '../../src/journal/journal.ts';
import { isOpen } from '../../src/model/effect.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { End, Task } from './agent.ts';
import { Client } from './client.ts';
import type { Act, Fault, Log } from './counterparty.ts';
import { type Death, digestAfter } from './deadly.ts';
import { type Database, rowsIn, rowsOf } from './journals.ts';
import { AGENTS, type AgentName } from './machines.ts';
import type { Life, Stage } from './processes.ts';

/**
 * How a process is brought to its end: by itself, from outside after some milliseconds, or by the counterparty. With `server`, it is the server of its journal
 * that is killed, after so many acknowledgements, and the process has to live.
 */
export type Kill = Death | { readonly after: number } | { readonly server: number } | 'by the counterparty';

/** What is tried. */
export interface Trial {
  readonly agent: AgentName;
  /** What goes wrong, besides the kills; what goes wrong with that agent if left out. */
  readonly faults?: readonly Fault[];
  readonly reconcile: boolean;
  /** One for each process that is to be killed. */
  readonly kills: readonly Kill[];
  /** Told what the world has seen once the run was taken up again, before a person says anything. */
  readonly atRest?: (log: Log) => void;
}

/** What came of it. */
export interface Outcome {
  readonly wrong: readonly string[];
  /** How many processes ended by SIGKILL. */
  readonly kills: number;
  /** How many of those left a call behind whose outcome nobody had written down. */
  readonly midCall: number;
  /** How many left a decision behind that was not carried out. */
  readonly midRecovery: number;
  /** Whether the run had to wait for a person. */
  readonly parked: boolean;
  /** Whether an undo failed, so that it had to be started once more. */
  readonly stuck: boolean;
  readonly end: End | null;
  readonly log: Log;
}

let worlds = 0;

/** What a trial has to end like: the ending of a run that nothing happens to, and the acts of one that is never killed. */
export interface Expected {
  readonly value: unknown;
  readonly context: unknown;
  /** What stands in the world. */
  readonly standing: readonly string[];
  /** All that was done to it. */
  readonly acts: readonly string[];
}

/** What a trial is known by. */
export function nameOf({ agent, reconcile, kills, faults }: Trial): string {
  const told = kills.map((kill) => {
    if (typeof kill === 'string') return kill;
    if ('server' in kill) return `not, but its server after ${kill.server} acknowledgements`;
    return 'after' in kill ? `after ${kill.after} ms` : `${kill.when} ${kill.at}`;
  });
  const more = faults === undefined ? '' : ` with ${JSON.stringify(faults)}`;
  return `${agent}, ${reconcile ? 'counterparty asked' : 'nobody to ask'}, killed ${told.join(', then ')}${more}`;
}

/** Makes the trials of one agent. */
export class Trials {
  readonly #stage: Stage;
  readonly #database: Database | null;
  /** The runs that were never killed, by their agents and faults. */
  readonly #calm = new Map<string, Promise<Outcome>>();

  /** How often the server was killed while an agent ran. */
  serverKills = 0;

  /** @param database where the journals lie; left out, each is a file. */
  constructor(stage: Stage, database: Database | null = null) {
    this.#stage = stage;
    this.#database = database;
  }

  /** How a run ends when nothing goes wrong, and what it does to the world when only its faults do. */
  async expected(agent: AgentName, faults = AGENTS[agent].faults): Promise<Expected> {
    const calm = await this.#undisturbed(agent, []);
    const failing = await this.#undisturbed(agent, faults);
    if (!isDeepStrictEqual([calm.end?.value, calm.end?.context], [failing.end?.value, failing.end?.context]))
      throw new Error(`${agent} ends elsewhere when it fails`);
    const { value, context } = calm.end as End;
    const acts = told(agent, failing.log.acts);
    const standing = told(agent, standingOf(calm.log));
    if (!isDeepStrictEqual(standing, told(agent, standingOf(failing.log))))
      throw new Error(`${agent} leaves another world when it fails: ${JSON.stringify(failing.log)}`);
    return { value, context, standing, acts };
  }

  /** How a run goes that is never killed; made once. */
  #undisturbed(agent: AgentName, faults: readonly Fault[]): Promise<Outcome> {
    const what = JSON.stringify([agent, faults]);
    const made = this.#calm.get(what) ?? this.#ended(agent, faults);
    this.#calm.set(what, made);
    return made;
  }

  async #ended(agent: AgentName, faults: readonly Fault[]): Promise<Outcome> {
    const outcome = await this.run({ agent, faults, reconcile: true, kills: [] }, null);
    if (outcome.wrong.length > 0 || outcome.end?.status !== 'done')
      throw new Error(`${agent} does not end: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  /** The appends and phases of a run that is never killed. */
  async reach(agent: AgentName, faults = AGENTS[agent].faults): Promise<Pick<End, 'appends' | 'phases'>> {
    return (await this.#undisturbed(agent, faults)).end as End;
  }

  async run(trial: Trial, expected: Expected | null): Promise<Outcome> {
    worlds += 1;
    const { agent, reconcile, kills, faults = AGENTS[agent].faults } = trial;
    const file = join(this.#stage.folder, `run-${worlds}.db`);
    const client = new Client(this.#stage.port, `world ${worlds}`);
    await client.begin(faults);
    const task: Task = {
      agent,
      file,
      port: this.#stage.port,
      world: client.world,
      reconcile,
      person: false,
      death: null,
      ...(this.#database !== null && { postgres: this.#database.place(client.world) }),
    };
    const course = new Course(file);
    for (const kill of kills) {
      const life = course.add(await this.#killed(task, kill), await rowsIn(task));
      if (life.signal !== 'SIGKILL') break;
    }
    const open = course.openCalls();
    let last = course.add(await this.#stage.live(task), await rowsIn(task));
    trial.atRest?.(await client.log());
    const parked = last.end?.status === 'parked';
    if (parked || open.length > 0) course.judgeEscalation(last.end, open, reconcile);
    if (parked) last = course.add(await this.#stage.live({ ...task, person: true }), await rowsIn(task));
    // An undo that fails stops the run (E5); the next start tries it again.
    const stuck = last.end?.status === 'stuck';
    if (stuck) last = course.add(await this.#stage.live(task), await rowsIn(task));
    const log = await client.log();
    if (expected !== null) course.judgeEnding(agent, last, log, expected, reconcile);
    const { wrong, midCall, midRecovery } = course;
    return { wrong, kills: course.kills, midCall, midRecovery, parked, stuck, end: last.end, log };
  }

  async #killed(task: Task, kill: Kill): Promise<Life> {
    if (typeof kill === 'string') return this.#stage.live(task);
    if ('server' in kill) {
      const [said, tell] = signal();
      let isOver = false;
      const life = this.#stage
        .live(task, null, (lines) => {
          if (lines >= kill.server) tell();
        })
        .finally(() => {
          isOver = true;
        });
      await Promise.race([said, life]);
      if (!isOver) this.serverKills += 1;
      await this.#database?.crash();
      return life;
    }
    return 'after' in kill ? this.#stage.live(task, kill.after) : this.#stage.live({ ...task, death: kill });
  }
}

/** What is seen in the course of a trial, and what is wrong with it. */
export class Course {
  readonly wrong: string[] = [];
  kills = 0;
  midCall = 0;
  midRecovery = 0;
  readonly #file: string;
  #rows: readonly StoredRow[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Holds a process to what it has acknowledged, and its journal to what those before it had left. */
  add(life: Life, rows: readonly StoredRow[] = rowsOf(this.#file)): Life {
    const { signal, code, said, errors, end } = life;
    if (signal === 'SIGKILL') this.kills += 1;
    else if (code !== 0 || end === null) this.wrong.push(`a process ended with ${code ?? signal}: ${errors}`);
    const digests = [''];
    for (const row of rows) digests.push(digestAfter(digests.at(-1) as string, row));
    for (const each of said) {
      if ('ack' in each && digests[each.ack] !== each.digest)
        this.wrong.push(`acknowledged up to row ${each.ack}, and ${rows.length} rows are there or others than those`);
    }
    if (!isDeepStrictEqual(rows.slice(0, this.#rows.length), this.#rows))
      this.wrong.push(`of ${this.#rows.length} rows that were there, not all are there as they were`);
    this.#rows = rows;
    if (signal === 'SIGKILL') {
      if (this.openCalls().length > 0) this.midCall += 1;
      if (this.#pending()) this.midRecovery += 1;
    }
    return life;
  }

  /** The keys of the calls whose outcome is written nowhere and that may not just be made again. */
  openCalls(): string[] {
    const { ledger, publications } = readRun(this.#rows).runState;
    // What a commit has decided is made visible again: its buffer knows those by their keys that are.
    const committed = new Set(publications.flatMap(({ keys }) => keys));
    return [...ledger.all()]
      .filter(({ key, status, intent }) => isOpen(status) && intent.class !== 'idempotent' && !committed.has(key))
      .map(({ key }) => key);
  }

  #pending(): boolean {
    const { pending } = readRun(this.#rows).runState;
    return pending?.entry.decision.verdict.startsWith('restore') ?? false;
  }

  /** With nobody to ask, a call whose outcome is open stops the run, which names it; nothing else does. */
  judgeEscalation(end: End | null, open: readonly string[], reconcile: boolean): void {
    if (end?.status !== 'parked') {
      if (!reconcile) this.wrong.push(`went on over ${open.join()}, of which nobody knows what became`);
      return;
    }
    const { decision } = end;
    const named =
      decision !== null && 'unblock' in decision
        ? decision.unblock.acts.flatMap((act) => ('effect' in act ? [act.effect.id ?? ''] : []))
        : [];
    if (reconcile) this.wrong.push(`waits for a person although the counterparty can be asked: ${said(decision)}`);
    else if (!isDeepStrictEqual(new Set(named), new Set(open)))
      this.wrong.push(`escalates over ${named.join()} and not over ${open.join()}: ${said(decision)}`);
  }

  judgeEnding(agent: AgentName, { end }: Life, log: Log, expected: Expected, reconcile: boolean): void {
    if (end?.status !== 'done' && end?.status !== 'over') this.wrong.push(`ends ${end?.status}: ${said(end)}`);
    const { value, context } = expected;
    if (!isDeepStrictEqual(plain([end?.value, end?.context]), plain([value, context])))
      this.wrong.push(`ends with ${said([end?.value, end?.context])}, not with ${said([value, context])}`);
    const [acts, standing] = [told(agent, log.acts), told(agent, standingOf(log))];
    if (!isDeepStrictEqual(standing, expected.standing))
      this.wrong.push(`leaves ${standing.join()} in the world, not ${expected.standing.join()}`);
    if (!isDeepStrictEqual(acts, expected.acts))
      this.wrong.push(`has done ${acts.join()} to the world, not ${expected.acts.join()}`);
    // An undo, a commit, and what is idempotent are asked for again under their keys: that is what these keys are for.
    const again = log.repeats.filter(
      ({ site }) => !['unbook', 'debit', 'credit'].includes(site) && (reconcile || site !== 'note'),
    );
    if (again.length > 0) this.wrong.push(`has called again what was done: ${said(again)}`);
  }
}

/** A promise, and what resolves it. */
function signal(): [Promise<void>, () => void] {
  let resolved = () => {};
  const promise = new Promise<void>((resolve) => {
    resolved = resolve;
  });
  return [promise, resolved];
}

/** The acts that nobody has undone. */
function standingOf({ acts }: Log): Act[] {
  const undone = new Set(acts.filter(({ site }) => site === 'unbook').map(({ key }) => key));
  return acts.filter(({ site, key }) => site !== 'unbook' && !undone.has(`${key}~undo`));
}

function told(agent: AgentName, acts: readonly Act[]): string[] {
  const lines = acts.map(({ site, value }) => `${site}(${String(value)})`);
  return AGENTS[agent].ordered ? lines : lines.sort();
}

function said(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function plain(value: unknown): unknown {
  return JSON.parse(said(value));
}
