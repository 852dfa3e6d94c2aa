/** Runs to which everything comes at once: events, acts on them, complaints, pauses, deaths of the process, and another release of the code. */

import type { Ending } from '../../src/index.ts';
import { workClient } from '../../src/workers/client.ts';
import { resume, type Sidecar } from '../../src/xstate/attach.ts';
import { attach } from '../../src/xstate/index.ts';
import { calm } from '../poll.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import {
  callsIn,
  configFor,
  endText,
  isDenied,
  isJoined,
  machineFor,
  outputOf,
  type Program,
  type Words,
} from './programs.ts';
import { type Scenario, type Told, type Verdict, verdictOf } from './scenario.ts';
import { Counterparties } from './world.ts';
import { namedIn, reasonOf, wrongIn } from './wrong-in-world.ts';

/** A scenario with what happens to its run beside what is said to it. Numbers count answers. */
export interface Crossed extends Scenario {
  /** A pause, and when it is over at the latest. */
  readonly pause?: { readonly at: number; readonly until: number };
  /** The appends of a process at which it dies, each counted from its own first. */
  readonly deaths: readonly Death[];
  /** When the process gives its run back, and the next one takes it. */
  readonly closes: readonly number[];
  /** When the next process that takes the run has another release. */
  readonly moveAt?: number;
  /** When a person ends the run, and if what it did is undone. */
  readonly cancel?: { readonly at: number; readonly undo: boolean };
  /** When NO is sent, as soon as a state takes it. */
  readonly noAt?: number;
  /** The number of answers that a person takes to answer a gate. */
  readonly slow?: number;
  /** True where events are sent before a state takes them, too. */
  readonly early?: true;
}

/** What somebody says until it is answered: a process that dies before it has answered is asked again. */
interface Saying {
  ask(sidecar: Sidecar): Promise<unknown>;
  /** Told the answer, once. */
  heard(answer: unknown): void;
}

type Asked = { readonly saying: Saying; answer: { readonly is: unknown } | { readonly failed: Error } | null };

/** A refusal that a process or a person answers. @throws what is none. */
function coded(error: Error & { readonly code?: unknown }): { readonly refused: string } {
  if (error.code !== 'paused' && error.code !== 'machine_changed') throw error;
  return { refused: error.code };
}

const STANDING = ['done', 'parked', 'stuck', 'cancelled', 'compensated'];
const TYPES = ['GO', 'OK', 'NO'] as const;
type Type = (typeof TYPES)[number];
const SENT = { GO: { v: 1, by: 'ada' }, OK: { v: 9, by: 'bob' }, NO: { v: 0, by: 'cyd' } } as const;

/** The most that the heap may grow by while a scenario is played, in bytes. */
const HEAP = 1.5e9;

/** One run, over all its processes. */
class Crossing {
  readonly #scenario: Crossed;
  readonly world = new Counterparties();
  readonly #store = new MortalStore([]);
  readonly #deaths: Death[];
  #sidecar: Sidecar | null = null;
  #isDead = false;
  #release = 1;
  #open: Asked[] = [];
  readonly #begun = new Set<string>();
  #isPaused = false;
  words: Words = { v: 1 };
  input = 1;
  said: Told['said'] = 'none';
  why = '';
  complained: Told['complained'] = null;
  complaints = 0;
  readonly seen = new Map<string, Readonly<Record<string, unknown>>>();
  /** Every version that GO has had. */
  readonly versions: Words[] = [{ v: 1 }, null];
  /** Every version that the input has had. */
  readonly inputs = [1];
  /** The number of deeds in the world when the end of the run was said to be durable; null before. */
  endedAt: number | null = null;
  /** The events that their senders have confirmed, and that nothing has moved since. */
  readonly #confirmed = new Set<string>();
  /** When each gate was first seen. */
  readonly #asked = new Map<string, number>();
  /** What happened, in order. */
  readonly log: string[] = [];

  constructor(scenario: Crossed) {
    this.#scenario = scenario;
    this.#deaths = [...scenario.deaths];
  }

  get sidecar(): Sidecar {
    return this.#sidecar as Sidecar;
  }

  get context(): Record<string, unknown> {
    return (this.sidecar.actor.getSnapshot() as { context: Record<string, unknown> }).context;
  }

  /** From here on nothing happens to its process. */
  spare(): void {
    this.#store.spare();
  }

  get isOver(): boolean {
    return this.#sidecar !== null && STANDING.includes(this.sidecar.status);
  }

  /** The next process takes the run. */
  async #begin(): Promise<void> {
    const isFirst = this.#sidecar === null;
    this.world.waiting.length = 0;
    for (;;) {
      this.#isDead = false;
      const died = new Promise<null>((resolve) => {
        this.#store.onDeath = () => {
          this.#isDead = true;
          this.log.push('dies');
          resolve(null);
        };
      });
      const death = this.#deaths.shift();
      if (death !== undefined) this.#store.kill({ ...death, append: this.#store.appends + death.append });
      const opened = await Promise.race([this.#opened(isFirst && this.#store.appends === 0).catch(coded), died]);
      if (opened === null) continue;
      if ('refused' in opened) {
        this.log.push(`refused: ${opened.refused}`);
        if (opened.refused === 'paused') await this.#unpauses();
        else if (this.#release === 1) throw new Error('the release that the run was under refuses it');
        else this.#release = 1;
        continue;
      }
      this.#sidecar = opened;
      this.sidecar.actor.start();
      break;
    }
    for (const asked of this.#open) this.#ask(asked);
  }

  async #opened(isFirst: boolean): Promise<Sidecar> {
    const { program } = this.#scenario;
    const more = this.#release === 1 ? {} : { spare: {} };
    const machine = machineFor(program, this.world.tools(this.#scenario), more);
    const { undo, reconcilers } = this.world;
    const journal = await this.#store.next('r');
    const input = program.input === true ? { input: { v: 1 } } : {};
    const options = { run: 'r', config: configFor(program), journal, undo, reconcilers, ...input };
    const release = { version: `v${this.#release}`, adopt: true };
    return (isFirst
      ? attach(machine, { ...options, version: 'v1' } as never)
      : resume(machine, { ...options, ...release } as never)) as unknown as Promise<Sidecar>;
  }

  /** A person has a paused run go on that no process has. */
  async #unpauses(): Promise<void> {
    this.#isPaused = false;
    await workClient(await this.#store.next('r')).unpause('r', { by: 'eve' });
  }

  #ask(asked: Asked): void {
    asked.answer = null;
    const { sidecar } = this;
    asked.saying.ask(sidecar).then(
      (is) => {
        if (sidecar === this.#sidecar && !this.#isDead) asked.answer = { is };
      },
      (error: Error) => {
        if (sidecar === this.#sidecar && !this.#isDead) asked.answer = { failed: error };
      },
    );
  }

  #say(name: string, saying: Saying): void {
    if (this.#begun.has(name)) return;
    this.#begun.add(name);
    this.log.push(`says ${name}`);
    const asked: Asked = { saying, answer: null };
    this.#open.push(asked);
    this.#ask(asked);
  }

  #hears(): void {
    const answered = this.#open.filter(({ answer }) => answer !== null);
    this.#open = this.#open.filter(({ answer }) => answer === null);
    for (const { saying, answer } of answered)
      if (answer !== null && 'is' in answer) saying.heard(answer.is);
      else if (answer !== null) this.log.push(`fails: ${answer.failed.message.slice(0, 200)}`);
  }

  async drive(): Promise<void> {
    await this.#begin();
    const most = process.memoryUsage().heapUsed + HEAP;
    for (let nth = 0; nth < 80; nth += 1) {
      if (process.memoryUsage().heapUsed > most) throw new Error('it takes more and more memory');
      if (await this.#isOverAt(nth)) return;
      if (this.world.waiting.length > 0) {
        this.world.answer(this.#scenario.order[nth] ?? 0);
        this.log.push('answers');
      } else if (await this.#standsStill(nth)) return;
    }
    throw new Error('it goes on for ever');
  }

  async #isOverAt(nth: number): Promise<boolean> {
    const { closes, moveAt = Number.POSITIVE_INFINITY, pause } = this.#scenario;
    await this.#rests();
    if (nth >= moveAt) this.#release = 2;
    if (!this.isOver && (closes.includes(nth) || nth === moveAt)) await this.#gives();
    if (pause !== undefined && nth >= pause.at && !this.isOver) this.#pauses();
    this.#speaks(nth);
    await this.#rests();
    if (this.#isPaused && nth >= (pause?.until ?? 0)) await this.#goesOn();
    return this.isOver && this.#open.length === 0;
  }

  /** Lets everything that is ready happen; a process that dies of it has a next one. */
  async #rests(): Promise<void> {
    await calm(8);
    while (this.#isDead) {
      this.sidecar.actor.stop();
      await this.#begin();
      await calm(8);
    }
    this.#hears();
  }

  async #gives(): Promise<void> {
    this.log.push(`gives back, ${this.#release}`);
    const closing = this.sidecar.close();
    for (let turn = 0; turn < 40 && !this.#isDead; turn += 1) {
      if (await Promise.race([closing.then(() => true), calm(4).then(() => false)])) break;
    }
    this.sidecar.actor.stop();
    await this.#begin();
    await this.#rests();
  }

  #pauses(): void {
    this.#say('pause', {
      ask: (sidecar) => sidecar.pause({ by: 'eve', why: 'a look' }),
      heard: () => {
        this.#isPaused = true;
      },
    });
  }

  async #goesOn(): Promise<void> {
    this.#isPaused = false;
    this.#say('unpause', { ask: (sidecar) => sidecar.unpause({ by: 'eve' }), heard: () => {} });
    await this.#rests();
  }

  #speaks(nth: number): void {
    const { sendAt, noAt, wrong, actAt, then, cancel } = this.#scenario;
    // A person may end a run that is parked.
    if (cancel !== undefined && nth >= cancel.at) this.#cancels(cancel.undo);
    if (this.isOver || this.endedAt !== null) return;
    this.#approves(nth);
    if (nth >= sendAt) this.#sends('GO');
    this.#sends('OK');
    if (noAt !== undefined && nth >= noAt) this.#sends('NO');
    if (wrong !== undefined && nth >= wrong.at) this.#complains();
    if (nth >= actAt) this.#acts('act', this.#scenario);
    if (then !== undefined && this.said !== 'none' && nth >= then.at) this.#acts('then', then);
  }

  #mayBeSaid(type: Type): boolean {
    const now = this.sidecar.actor.getSnapshot() as unknown as { can(event: object): boolean };
    if (this.#begun.has(type) || this.isOver || this.endedAt !== null) return false;
    return this.#scenario.early === true || now.can({ type, v: 1 });
  }

  /** A person ends the run. */
  #cancels(undo: boolean): void {
    if (['done', 'cancelled', 'compensated'].includes(this.sidecar.status)) return;
    this.#say('cancel', {
      ask: async (sidecar) => {
        await sidecar.cancel({ by: 'eve', undo }).catch((error: Error & { readonly code?: unknown }) => {
          // The process before has heard it.
          if (error.code !== 'not_advised') throw error;
        });
        this.endedAt ??= this.world.deeds.length;
      },
      heard: () => void this.log.push('it is to end'),
    });
  }

  /** A person answers the gates, in time. */
  #approves(nth: number): void {
    for (const { gate, asks, tool, args } of this.sidecar.requests()) {
      if (asks !== 'approval') continue;
      if (!this.#asked.has(gate)) this.#asked.set(gate, nth);
      if (nth < (this.#asked.get(gate) as number) + (this.#scenario.slow ?? 0)) continue;
      const what = outputOf(tool, args);
      const verdict = isDenied(what) ? 'denied' : 'approved';
      if (verdict === 'approved' && !this.#begun.has(`gate ${gate}`))
        this.world.approved.set(what, (this.world.approved.get(what) ?? 0) + 1);
      this.#say(`gate ${gate}`, {
        ask: (sidecar) => sidecar.answer(gate, verdict, { by: 'eve' }),
        heard: (answer) => void this.log.push(`${verdict} ${what}: ${answer ?? 'heard'}`),
      });
    }
  }

  #sends(type: Type): void {
    if (!this.#mayBeSaid(type)) return;
    this.#sees(type);
    const { v, by } = SENT[type];
    this.#say(type, {
      ask: (sidecar) => sidecar.send({ type, v } as never, { id: type, by }),
      heard: (answer) => void this.log.push(`${type}: ${(answer as { is: string }).is}`),
    });
  }

  #sees(type: string, keys: readonly string[] = Object.keys(this.context)): void {
    const now = this.context;
    this.seen.set(type, Object.fromEntries(keys.map((key) => [key, now[key]])));
  }

  #acts(name: 'act' | 'then', { act, to }: Pick<Scenario, 'act' | 'to'>): void {
    const ofInput = this.#scenario.program.input === true;
    const isOpen = this.#open.length > 0;
    if ((!ofInput && !this.#begun.has('GO')) || isOpen || this.#begun.has(name)) return;
    const of = ofInput ? 'input' : 'GO';
    const isRevised = ofInput || act === 'revise';
    const how = { by: 'ada', id: name };
    this.#say(name, {
      ask: (sidecar) => (isRevised ? sidecar.revise(of, { v: to }, how) : sidecar.retract(of, how)),
      heard: (answer) => {
        const { is, why } = answer as { is: string; why: string | null };
        this.log.push(`${name}: ${is} ${why}`);
        this.said = is === 'refused' ? 'refused' : 'done';
        this.why = why ?? '';
        if (is === 'refused') return;
        if (!ofInput) this.#sees('GO', Object.keys(this.seen.get('GO') ?? {}));
        this.#confirmed.clear();
        if (ofInput) this.input = to;
        if (ofInput) this.inputs.push(to);
        else this.words = act === 'retract' ? null : { v: to };
        this.versions.push(this.words);
      },
    });
  }

  #complains(): void {
    const { call } = this.#scenario.wrong as NonNullable<Scenario['wrong']>;
    const { program } = this.#scenario;
    const value = this.context[`k${call}`];
    if (value === undefined) return;
    const instance = { skeleton: `U${isJoined(program, call) ? call[0] : call}`, entity: 'it' };
    this.#say('complaint', {
      ask: (sidecar) => {
        this.complaints += 1;
        this.complained ??= { of: call, value };
        return sidecar.fail('CONTRACT_VIOLATION', { instance, key: `k${call}` } as never);
      },
      heard: () => {
        this.#confirmed.clear();
        this.log.push('complaint: heard');
      },
    });
  }

  /** No call waits for its answer: an event that waits for its sender is confirmed. @returns true where nothing is left to do. */
  async #standsStill(nth: number): Promise<boolean> {
    await calm(12);
    await this.#rests();
    if (this.#isPaused) {
      await this.#goesOn();
      return false;
    }
    if (this.world.waiting.length > 0 || this.isOver || this.#open.length > 0) return false;
    const { actAt, sendAt, then, noAt, cancel } = this.#scenario;
    if (this.#mayBeSaid('GO') || this.#mayBeSaid('OK') || (noAt !== undefined && this.#mayBeSaid('NO'))) return false;
    if (this.endedAt === null && this.#gates() > 0) return false;
    if (cancel !== undefined && !this.#begun.has('cancel')) return false;
    const waits = this.sidecar.events().find(({ is, name }) => is === 'taken_back' && !this.#confirmed.has(name));
    if (waits === undefined && then !== undefined && !this.#begun.has('then') && this.said !== 'none') return false;
    if (waits === undefined) return this.said !== 'none' || nth > actAt + sendAt + 1;
    this.#sees(waits.name);
    const how = { by: waits.by ?? '', id: `confirm ${waits.name} ${nth}` };
    this.#say(how.id, {
      ask: (sidecar) => sidecar.confirm(waits.name, how),
      heard: (answer) => {
        const { is } = answer as { is: string };
        if (is === 'same') this.#confirmed.add(waits.name);
        this.log.push(`confirmed ${waits.name}: ${is}`);
      },
    });
    await this.#rests();
    return nth > 70;
  }

  #gates(): number {
    return this.sidecar.requests().filter(({ asks }) => asks === 'approval').length;
  }
}

/** Plays a crossed scenario, and judges it by the ends of plain xstate that was told the last words at once, and by what no run may do to its world. */
export async function cross(
  scenario: Crossed,
): Promise<{ readonly verdict: Verdict; readonly why: string; readonly log: readonly string[] }> {
  const run = new Crossing(scenario);
  const { program } = scenario;
  try {
    await run.drive();
    await calm(12);
    const { sidecar, context, world } = run;
    const { status } = sidecar;
    const { value } = sidecar.actor.getSnapshot() as { value: unknown };
    const fates = new Map(sidecar.events().map(({ name, is }) => [name, is]));
    const ending = STANDING.includes(status) ? await sidecar.finished() : null;
    run.spare();
    const named = namedIn(ending ?? (await endedBy(sidecar, program)));
    // An act that a discard has left is beside the work, unless other work was answered with it (ON2).
    const worlds = [world.besides(named), world.standing];
    await sidecar.close();
    const told = { ...pick(run), decided: world.decided };
    const fault = wrongIn(program, { world, ending, ...wordsOf(run) });
    if (fault !== null) return { verdict: `unsafe: ${fault.is}`, why: fault.why, log: run.log };
    const why = ending === null ? run.why : `${run.why} ${reasonOf(ending)}`;
    const judged = worlds.map((acts) =>
      verdictOf(program, told, { status, context, end: endText(context, value, acts), fates }, why),
    );
    const right = judged.find(({ verdict }) => !verdict.startsWith('unsafe')) ?? judged[0];
    return { ...(right as (typeof judged)[number]), log: run.log };
  } catch (error) {
    const { message, stack = '' } = error as Error;
    if (error instanceof RangeError) return { verdict: 'none', why: message, log: run.log };
    return { verdict: `unsafe: ${message}`, why: stack, log: run.log };
  }
}

/** The end of a run that rests, for what stands in the world beside its work: a person ends it. Null where nothing may. */
async function endedBy(sidecar: Sidecar, program: Program): Promise<Ending | null> {
  if (![...callsIn(program).values()].some(({ skip }) => skip !== undefined)) return null;
  await sidecar.cancel({ by: 'eve' });
  return sidecar.finished();
}

function wordsOf({ versions, inputs, endedAt }: Crossing) {
  return { versions, inputs, endedAt };
}

function pick({ said, words, input, seen, complained, complaints }: Crossing): Omit<Told, 'decided'> {
  return { said, words, input, seen, complained, complaints };
}

/** What comes to a run beside what is said to it, drawn. */
export function crossedWith(scenario: Scenario, random: () => number): Crossed {
  const whole = (below: number) => Math.floor(random() * below);
  const WHEN = ['before', 'after', 'lost'] as const;
  const deaths = Array.from(
    { length: random() < 0.6 ? 1 + whole(2) : 0 },
    (): Death => ({
      append: 1 + whole(25),
      when: WHEN[whole(3)] as Death['when'],
    }),
  );
  const closes = random() < 0.3 ? [whole(7)] : [];
  const at = whole(6);
  return {
    ...scenario,
    deaths,
    closes,
    ...(random() < 0.4 && { pause: { at, until: at + whole(4) } }),
    ...(random() < 0.4 && { moveAt: whole(7) }),
  };
}
