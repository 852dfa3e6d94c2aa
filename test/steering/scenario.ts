/** One run of a program under the sidecar, with an act on GO at a moment, judged by the ends of plain xstate and by the world. */
import { memoryStore } from '../../src/index.ts';
import { calm } from '../poll.ts';
import { run } from '../semantics/little.ts';
import { waysOf } from './ends.ts';
import { callsIn, configFor, endText, isJoined, machineFor, type Program, type Words } from './programs.ts';
import { Counterparties } from './world.ts';

/** A scenario: who answers first, when GO is sent, and what is said about it when. */
export interface Scenario {
  readonly program: Program;
  /** The number of the call that answers each time, of those that wait. */
  readonly order: readonly number[];
  /** The number of answers before GO is sent, where a state takes it by then. */
  readonly sendAt: number;
  readonly act: 'revise' | 'retract';
  readonly to: number;
  /** The number of answers before the act. */
  readonly actAt: number;
  /** True where calls act as they are made, false where they act as they answer. */
  readonly actsAtOnce: boolean;
  /** A second act on GO, behind the first. */
  readonly then?: { readonly act: Scenario['act']; readonly to: number; readonly at: number };
  /** A complaint about what a call has written, from so many answers on, as soon as its unit was begun. */
  readonly wrong?: { readonly call: string; readonly at: number };
  /** True where a person undoes by hand what a refusal names, and says the act again with it. */
  readonly byHand?: true;
}

/** The verdict: `ok` where a run of plain xstate may end or wait so, `refused` likewise with the words that were sent, `none` where nothing was said. */
export type Verdict = 'ok' | 'refused' | 'parked' | 'none' | 'cancelled' | 'compensated' | `unsafe: ${string}`;

type Running = Awaited<ReturnType<typeof run>>;

/** The act of a scenario. */
type Act = { readonly revise: string; readonly to: { readonly v: number } } | { readonly retract: string };

/** Says an act, with the calls that were undone by hand for it. */
type Saying = (more: { readonly undoneByHand?: readonly string[] }) => ReturnType<Running['sidecar']['retract']>;

/** A scenario under way. */
class Playing {
  readonly #scenario: Scenario;
  readonly #world: Counterparties;
  readonly #it: Running;
  readonly #looks: () => Promise<void>;
  readonly #sent = new Set<string>();
  said: 'none' | 'done' | 'refused' = 'none';
  /** What GO says by now; null where it was retracted. */
  words: Words = { v: 1 };
  /** What the input says by now. */
  input = 1;
  why = '';
  #isThen = false;
  /** The number of acts that were refused first, and carried out once a person had undone what was in the way. */
  freed = 0;
  /** What each sender had seen when the event was said, or said to hold, by its type. */
  readonly seen = new Map<string, Readonly<Record<string, unknown>>>();
  /** The value that was found wrong; null before the complaint. */
  complained: { readonly of: string; readonly value: unknown } | null = null;

  constructor(scenario: Scenario, world: Counterparties, it: Running, looks: () => Promise<void>) {
    this.#looks = looks;
    this.#scenario = scenario;
    this.#world = world;
    this.#it = it;
  }

  get isOver(): boolean {
    return ['done', 'parked', 'stuck'].includes(this.#it.sidecar.status);
  }

  async drive(): Promise<void> {
    for (let nth = 0; nth < 60 && !(await this.#isOverAt(nth)); nth += 1) {
      if (this.#world.waiting.length > 0) this.#world.answer(this.#scenario.order[nth] ?? 0);
      else if (await this.#standsStill(nth)) return;
    }
  }

  async #isOverAt(nth: number): Promise<boolean> {
    await calm(8);
    if (!this.isOver) await this.#looks();
    if (nth >= this.#scenario.sendAt) await this.#says('GO', 1);
    await this.#says('OK', 9);
    if (nth >= (this.#scenario.wrong?.at ?? Number.POSITIVE_INFINITY)) await this.#complains();
    if (nth >= this.#scenario.actAt && this.said === 'none') await this.#steers(this.#scenario);
    const { then } = this.#scenario;
    if (this.said !== 'none' && !this.#isThen && nth >= (then?.at ?? Number.POSITIVE_INFINITY)) {
      this.#isThen = true;
      await this.#steers(then as NonNullable<Scenario['then']>);
    }
    return this.isOver;
  }

  #mayBeSaid(type: 'GO' | 'OK'): boolean {
    const now = this.#it.actor.getSnapshot() as unknown as { can(event: object): boolean };
    return !this.#sent.has(type) && !this.isOver && now.can({ type, v: 1 });
  }

  async #says(type: 'GO' | 'OK', v: number): Promise<void> {
    if (!this.#mayBeSaid(type)) return;
    this.#sent.add(type);
    this.#sees(type);
    await this.#it.sidecar.send({ type, v } as never, { id: type, by: type === 'GO' ? 'ada' : 'bob' });
    await calm(8);
  }

  #sees(type: string, keys: readonly string[] = Object.keys(this.#it.context())): void {
    const now = this.#it.context();
    this.seen.set(type, Object.fromEntries(keys.map((key) => [key, now[key]])));
  }

  async #steers({ act, to }: Pick<Scenario, 'act' | 'to'>): Promise<void> {
    const ofInput = this.#scenario.program.input === true;
    if ((!ofInput && !this.#sent.has('GO')) || this.isOver) return;
    const { sidecar } = this.#it;
    const [how, of] = [{ by: 'ada' }, ofInput ? 'input' : 'GO'];
    const isRevised = ofInput || act === 'revise';
    const say: Saying = (more) =>
      isRevised ? sidecar.revise(of, { v: to }, { ...how, ...more }) : sidecar.retract(of, { ...how, ...more });
    const what = isRevised ? { revise: of, to: { v: to } } : { retract: of };
    const answer = this.#scenario.byHand === true ? await this.#sayByHand(what, say) : await say({});
    this.said = answer.is === 'refused' ? 'refused' : 'done';
    // Its sender says it anew over what the sender has seen before it, as that is now.
    if (answer.is !== 'refused' && !ofInput) this.#sees('GO', Object.keys(this.seen.get('GO') ?? {}));
    if (answer.is !== 'refused' && ofInput) this.input = to;
    else if (answer.is !== 'refused') this.words = act === 'retract' ? null : { v: to };
    this.why = answer.why ?? '';
    await calm(8);
  }

  /** Says an act; where it is refused, a person undoes by hand what the refusals and previews name, and it is said again with that. */
  async #sayByHand(act: Act, say: Saying): ReturnType<Saying> {
    const { sidecar } = this.#it;
    const keys: string[] = [];
    const refused = await say({});
    for (let { is, why } = refused; is === 'refused' && !this.isOver; ) {
      const named = [...(why?.matchAll(/belay-[\w~-]+/g) ?? [])].flatMap(([key]) => (keys.includes(key) ? [] : [key]));
      if (named.length === 0) break;
      keys.push(...named);
      ({ is, why } = await sidecar.preview({ ...act, by: 'ada', undoneByHand: keys }));
      if (is === 'refused') continue;
      for (const key of keys) this.#world.undo.un({ key });
      const answer = await say({ undoneByHand: keys });
      if (answer.is === 'refused') for (const key of keys) await sidecar.settle(key, 'compensated');
      else this.freed += keys.length;
      return answer;
    }
    return refused;
  }

  async #complains(): Promise<void> {
    const { call } = this.#scenario.wrong as NonNullable<Scenario['wrong']>;
    if (this.complained !== null || this.isOver) return;
    const instance = { skeleton: `U${isJoined(this.#scenario.program, call) ? call[0] : call}`, entity: 'it' };
    const value = this.#it.context()[`k${call}`];
    try {
      await this.#it.sidecar.fail('CONTRACT_VIOLATION', { instance, key: `k${call}` } as never);
      this.complained = { of: call, value };
      await calm(8);
    } catch {
      // Its unit has not begun, or has written nothing yet.
    }
  }

  /** No call waits for its answer: an event that waits for its sender is confirmed. @returns true where nothing is left to do. */
  async #standsStill(nth: number): Promise<boolean> {
    const { sidecar } = this.#it;
    await calm(12);
    if (this.#world.waiting.length > 0 || this.isOver || this.#mayBeSaid('GO') || this.#mayBeSaid('OK')) return false;
    const held = () => sidecar.events().find(({ is }) => is === 'taken_back');
    const waits = held();
    const { actAt, sendAt, then } = this.#scenario;
    if (waits === undefined && then !== undefined && !this.#isThen && this.said !== 'none') return false;
    if (waits === undefined) return this.said !== 'none' || nth > actAt + sendAt + 1;
    this.#sees(waits.name);
    await sidecar.confirm(waits.name, { by: waits.by ?? '' });
    await calm(12);
    return this.#world.waiting.length === 0 && held() !== undefined;
  }
}

/** Looks at a run between two answers. */
export type Looks = (sidecar: Running['sidecar'], store: ReturnType<typeof memoryStore>) => Promise<void>;

/** A run that was played, where it rests. */
interface Played {
  readonly it: Running;
  readonly playing: Playing;
  readonly world: Counterparties;
}

/** Plays a scenario to where it rests. @param looks called between two answers, while nothing is under way but calls. */
export async function played(scenario: Scenario, looks: Looks = async () => {}): Promise<Played> {
  const { program } = scenario;
  const world = new Counterparties();
  const { undo, reconcilers } = world;
  const store = memoryStore();
  const options = { journal: store, undo, reconcilers, ...(program.input === true && { input: { v: 1 } }) };
  const it = await run(machineFor(program, world.tools(scenario)), configFor(program), options as never);
  const playing = new Playing(scenario, world, it, () => looks(it.sidecar, store));
  await playing.drive();
  await calm(12);
  return { it, playing, world };
}

/** Plays a scenario, and judges where it has ended, or rests. */
export async function play(
  scenario: Scenario,
  looks?: Looks,
): Promise<{ readonly verdict: Verdict; readonly why: string; readonly freed: number }> {
  const { it, playing, world } = await played(scenario, looks);
  const { status } = it.sidecar;
  const context = it.context();
  const end = endText(context, it.value(), world.standing);
  const fates = new Map(it.sidecar.events().map(({ name, is }) => [name, is]));
  await it.sidecar.close();
  const { said, why, freed, words, input, seen, complained } = playing;
  const told = { said, words, input, seen, complained, complaints: 1, decided: world.decided };
  return { ...verdictOf(scenario.program, told, { status, context, end, fates }, why), freed };
}

/** What was said to a run, and to whom it was answered. */
export interface Told {
  readonly said: 'none' | 'done' | 'refused';
  /** What GO says in the end; null where it was retracted. */
  readonly words: Words;
  readonly input: number;
  readonly seen: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly complained: { readonly of: string; readonly value: unknown } | null;
  /** The number of times that it was complained. */
  readonly complaints: number;
  readonly decided: ReadonlyMap<string, number>;
}

/** How a run has ended, or where it rests. */
interface Ended {
  readonly status: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly end: string;
  /** What has become of each event. */
  readonly fates: ReadonlyMap<string, string>;
}

/** Judges a run by the ends of plain xstate that was told the last words at once. */
export function verdictOf(
  program: Program,
  told: Told,
  { status, context, end, fates }: Ended,
  why: string,
): { readonly verdict: Verdict; readonly why: string } {
  const { said, complained, seen, decided } = told;
  // One that a complaint took back is its sender's to send again: a run that ends meanwhile ends without it, and says so (LC8).
  const isTaken = (type: string) => fates.get(type) === 'taken';
  const words = told.words === null || !isTaken('GO') ? null : told.words;
  if (status === 'cancelled' || status === 'compensated') return { verdict: status, why };
  if (said === 'none' && complained === null) return { verdict: 'none', why };
  if (status === 'parked' || status === 'stuck') return { verdict: 'parked', why: `${why} ${status}` };
  const isOk = isTaken('OK') || !fates.has('OK');
  const decidedSo = decidedIn(program, context);
  const { ends } = waysOf(program, { words, isOk, isNo: isTaken('NO'), input: told.input, decided: decidedSo });
  const resampled = resampledIn(program, decided, told, context);
  const unseen = ['GO', 'OK', 'NO']
    .filter(isTaken)
    .flatMap((type) => otherThanSeen(program, type, seen.get(type), context));
  if (unseen.length > 0) return { verdict: 'unsafe: unseen', why: `${why} ${unseen.join('; ')}` };
  if (resampled !== null) return { verdict: 'unsafe: decided', why: `${why} ${resampled}` };
  if (ends.has(end)) return { verdict: said === 'refused' ? 'refused' : 'ok', why };
  return {
    verdict: `unsafe: ${status === 'done' ? 'end' : 'idle'}`,
    why: `${why} ${end} is none of ${[...ends].join(' ')}`,
  };
}

/**
 * What the sender of an event that stands had seen otherwise: each key is written once in a run, so that what was there when the event was said, or said to
 * hold, is what it stands for (PA5, PA10).
 */
function otherThanSeen(
  { seen: declared = null, input = false, rounds = 1 }: Program,
  type: string,
  then: Readonly<Record<string, unknown>> | undefined,
  now: Readonly<Record<string, unknown>>,
): string[] {
  // A further round writes over what was seen in one before.
  if (rounds > 1) return [];
  const keys = type === 'OK' && declared !== null ? declared : Object.keys(then ?? {});
  // What GO says is written over what the input says.
  const own = type === 'GO' || input ? ['q'] : [];
  return keys.flatMap((key) => {
    const value = then?.[key];
    if (own.includes(key) || value === undefined || JSON.stringify(value) === JSON.stringify(now[key])) return [];
    return [
      `the sender of ${type} had seen ${JSON.stringify(value)} under ${key}, where ${JSON.stringify(now[key])} is`,
    ];
  });
}

/** The answers of deciding tools that a context has, by what others answer to the same question. */
function decidedIn(program: Program, context: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(
    [...callsIn(program)].flatMap(([name, { class: kind }]): [string, string][] => {
      const value = context[`k${name}`];
      return kind === 'deciding' && typeof value === 'string' ? [[value.replace(/#\d+$/, ''), value]] : [];
    }),
  );
}

/** WH3: what a deciding tool was asked twice, though its answer was not found wrong, or a wrong answer that stands; null where neither is. */
function resampledIn(
  program: Program,
  decided: ReadonlyMap<string, number>,
  { complained: wrong, complaints }: Pick<Told, 'complained' | 'complaints'>,
  context: Readonly<Record<string, unknown>>,
): string | null {
  const isDeciding = wrong !== null && callsIn(program).get(wrong.of)?.class === 'deciding';
  for (const [question, times] of decided) {
    const again = isDeciding && question.startsWith(`${wrong.of}(`) ? complaints : 0;
    if (times > 1 + again) return `${question} was answered ${times} times`;
  }
  const stands = isDeciding && wrong.value !== undefined && context[`k${wrong.of}`] === wrong.value;
  return stands ? `${String(wrong.value)} was found wrong, and stands` : null;
}
