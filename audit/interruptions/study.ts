/** The study of interruptions: each agent, interrupted at every step, under Belay and by three others. All of it is plain data. */
import { parseKey } from 'belay-sidecar';
import { fieldOf, there } from '../../domains/there.ts';
import { isSameBut } from '../memory.ts';
import { type Difference, differenceOf, isSame } from '../worlds.ts';
import { FIXTURES, type Fixture } from './fixtures.ts';
import type { GatedCall } from './gate.ts';
import { type Other, wayOf } from './others.ts';
import { pathFrom } from './path.ts';
import {
  hasThrown,
  interrupted,
  type Plain,
  plain,
  type Ran,
  type Script,
  type Steered,
  steered,
  type UnderBelay,
  underBelay,
} from './runs.ts';
import { additionsAt, type Kind, nameOf, type Plan, plansOf, type Speaker } from './scenarios.ts';

/** What an interruption cost, and what it left in the world, under one runtime. */
export interface Cost {
  /** Steps that had been done, and were done again. */
  readonly redone: number;
  /** Those of them that were given the same as the first time. */
  readonly alike: number;
  /** Those of these that no path leads to from the act (path.ts). */
  readonly needless: number;
  /** What was booked and paid beyond the run that was told so from the beginning, in cents. */
  readonly cents: number;
  /** The rows of the world beyond that run, and those that are missing. */
  readonly difference: Difference;
  /** True if the context in the end is the one of that run. */
  readonly isSameMemory: boolean;
}

/** One interruption, and what has come of it. */
export interface Interrupted {
  readonly domain: string;
  readonly kind: Kind;
  readonly about: string;
  readonly by: Speaker;
  /** The number of answers by then, of all of the run's. */
  readonly at: number;
  readonly of: number;
  /** True if the calls that were under way had been made. */
  readonly made: boolean;
  readonly is: 'done' | 'same' | 'refused';
  /** The code of the refusal; null where it was none. */
  readonly code: string | null;
  /** The later events that their senders confirmed. */
  readonly confirmed: number;
  readonly belay: Cost;
  /** What the others come to; left out where Belay alone was asked. */
  readonly others: Readonly<Record<Other, Cost>> | null;
  /** Everything that is not as it has to be, in words. Empty is good. */
  readonly wrong: readonly string[];
}

/** Runs that many scenarios share, by what is said. */
class Known {
  readonly #fixture: Fixture;
  readonly #runs = new Map<string, Promise<Plain>>();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  of(script: Script): Promise<Plain> {
    const name = JSON.stringify(script);
    const run = this.#runs.get(name) ?? plain(this.#fixture, script);
    this.#runs.set(name, run);
    return run;
  }
}

/** The name of every agent of the study. */
export const STUDIED: readonly string[] = FIXTURES.map(({ name }) => name);

/** A share of the interruptions of an agent: every nth, from one of the first n. */
export interface Share {
  readonly every: number;
  readonly from: number;
  /** Of these, the ones that are wanted; all, if left out. */
  readonly only?: (plan: Plan, at: number) => boolean;
}

/** Interrupts an agent. */
export async function interruptions(
  name: string,
  { every, from, only = () => true }: Share,
): Promise<readonly Interrupted[]> {
  const fixture = there(
    FIXTURES.find((each) => each.name === name),
    'agent',
  );
  const known = new Known(fixture);
  const all: (readonly [Plan, at: number, made: boolean])[] = [];
  for (const plan of plansOf(fixture)) {
    const run = await known.of(plan.script);
    const first = plan.from ?? approvedAt(run);
    for (let at = first; at < run.moments; at += 1)
      for (const made of plan.by === 'sender' || plan.target === 'input' ? [false, true] : [false])
        all.push([plan, at, made]);
  }
  const { moments } = await known.of({ ...there(plansOf(fixture)[0], 'plan').script });
  for (let at = 0; at < moments; at += 1) for (const plan of additionsAt(fixture, at)) all.push([plan, at, false]);
  const rows: Interrupted[] = [];
  for (const [index, [plan, at, made]] of all.entries())
    if (index % every === from && only(plan, at)) rows.push(await interrupt(fixture, known, plan, { at, made }));
  return rows;
}

/** The number of answers by the approval: that moment is told twice, before it and after it. */
function approvedAt({ kept }: Plain): number {
  const index = kept.findIndex(({ moment }, place) => moment === kept[place + 1]?.moment);
  return there(kept[index], 'approval').moment + 1;
}

async function interrupt(
  fixture: Fixture,
  known: Known,
  plan: Plan,
  when: { readonly at: number; readonly made: boolean },
): Promise<Interrupted> {
  const { kind, about, by, target } = plan;
  const [base, told] = [await known.of(plan.script), await known.of(plan.told)];
  let answer: { readonly is: Interrupted['is']; readonly why: string | null } = { is: 'done', why: null };
  // Nobody else's word moves anything: that is seen as soon as it is answered.
  const isOwn = by === 'sender' || target === 'input';
  const act = async (sidecar: Steered, input: object) => {
    answer = await acted(sidecar, plan, input);
  };
  const ran = await underBelay(fixture, plan.script, when, act, !isOwn);
  const { is, why } = answer;
  const reference = is === 'refused' ? base : await inStead(fixture, known, plan, told, ran);
  const path = pathFrom(fixture, plan, base, told);
  const belay = costOf(fixture, isOwn ? ran : { ...ran, ...base, done: [] }, reference, path);
  const others = isOwn ? await theOthers(fixture, plan, when, base, told) : null;
  const code = is === 'refused' ? codeOf(why) : null;
  const row = { domain: fixture.name, kind, about, by, ...when, of: base.moments, is, code, belay, others };
  const { confirmed } = ran;
  return { ...row, confirmed, wrong: wrongWith(belay, ran, isOwn ? reference : null, answer) };
}

/**
 * The run that an interrupted one is held against. A word may come where the agent, told so there and not interrupted, throws: by a plain runtime that run is
 * over, and under Belay what has failed is done again behind the word. Such a run has to end as one that was told so earlier.
 */
async function inStead(fixture: Fixture, known: Known, plan: Plan, told: Plain, ran: Ran): Promise<Plain> {
  if (plan.kind !== 'addition' || !hasThrown(told)) return told;
  for (let at = (plan.from ?? 0) - 1; at >= 0; at -= 1) {
    const earlier = additionsAt(fixture, at).find(({ about }) => about === plan.about);
    const other = earlier === undefined ? told : await known.of(earlier.told);
    const isAlike = isSame(differenceOf(ran.world, other.world)) && isSameIn(fixture, ran.memory, other.memory);
    if (!hasThrown(other) && isAlike) return other;
  }
  return told;
}

function isSameIn({ ignore }: Fixture, one: unknown, other: unknown): boolean {
  return isSameBut(ignore.map(parseKey), one, other);
}

async function acted(
  sidecar: Steered,
  plan: Plan,
  input: object,
): Promise<{ is: Interrupted['is']; why: string | null }> {
  const { kind, target, to, by } = plan;
  const how = nameOf(by, target);
  if (kind === 'addition') {
    const { is, why } = await sidecar.send({ type: plan.about, ...to }, { id: 'word', ...how });
    // What no state takes has no code: the run is told so, and that is all.
    return is === 'refused' ? { is, why: `not_taken: ${why}` } : { is: 'done', why };
  }
  if (to === null) return sidecar.retract(target, how);
  return sidecar.revise(target, target === 'input' ? { ...input, ...to } : to, how);
}

/** The code of a refusal, which is told before what it means. */
function codeOf(why: string | null): string {
  return /^[a-z]+(?:_[a-z]+)+(?=:)/.exec(why ?? '')?.[0] ?? 'unexplained';
}

function wrongWith(
  { difference, isSameMemory, needless }: Cost,
  { status, isOver, moved }: UnderBelay,
  reference: Pick<Ran, 'isOver'> | null,
  { is, why }: Pick<Interrupted, 'is'> & { readonly why: string | null },
): readonly string[] {
  const { duplicates, missing, unexpected } = difference;
  return [
    ...(status === 'parked' || status === 'stuck' ? [`it is ${status}`] : []),
    ...(isSame(difference) ? [] : [`${duplicates} rows twice, ${missing} lost, ${unexpected} left over`]),
    ...(isSameMemory ? [] : ['another context']),
    ...(reference === null || isOver === reference.isOver ? [] : ['another end']),
    ...(needless === 0 ? [] : [`${needless} steps redone without a path from the act`]),
    ...(is === 'refused' && codeOf(why) === 'unexplained' ? [`a refusal that names no code: ${why}`] : []),
    ...(reference === null && (is !== 'refused' || moved) ? [`another's word is ${is}`] : []),
  ];
}

async function theOthers(
  fixture: Fixture,
  plan: Plan,
  when: { readonly at: number; readonly made: boolean },
  base: Plain,
  told: Plain,
): Promise<Interrupted['others']> {
  const path = pathFrom(fixture, plan, base, told);
  const cost = async (other: Other) => {
    const way = wayOf(other, plan, when.at, base, told);
    return costOf(fixture, await interrupted(fixture, plan.script, when, way), told, path);
  };
  return { restart: await cost('restart'), ecr: await cost('ecr'), checkpoint: await cost('checkpoint') };
}

function costOf(
  fixture: Fixture,
  ran: Ran & Pick<UnderBelay, 'done'> & Partial<Pick<UnderBelay, 'units'>>,
  reference: Pick<Ran, 'world' | 'memory' | 'calls'>,
  path: ReturnType<typeof pathFrom>,
): Cost {
  const made = ran.calls.filter((call) => call.made);
  const after = made.filter((call) => !ran.done.includes(call));
  const needed = reference.calls.filter((call) => call.made);
  const cents = (calls: readonly GatedCall[]) => calls.reduce((sum, call) => sum + centsOf(fixture, call), 0);
  return {
    redone: again(ran.done, after, needed, ({ tool }) => tool),
    alike: again(ran.done, after, needed, asAsked),
    needless: needlessOf(ran.done, after, needed, path(ran.done, ran.units)),
    cents: cents(made) - cents(needed),
    difference: differenceOf(ran.world, reference.world),
    isSameMemory: isSameIn(fixture, ran.memory, reference.memory),
  };
}

const asAsked = ({ tool, args }: GatedCall) => `${tool} ${args}`;

function needlessOf(
  done: readonly GatedCall[],
  after: readonly GatedCall[],
  needed: readonly GatedCall[],
  path: ReadonlySet<GatedCall>,
): number {
  const off = new Set(done.filter((call) => !path.has(call)).map(asAsked));
  for (const call of path) off.delete(asAsked(call));
  const isOff = (call: GatedCall) => off.has(asAsked(call));
  return again(done.filter(isOff), after.filter(isOff), needed.filter(isOff), asAsked);
}

/** The calls that were done, are done again, and are more than the run needs that was told so from the beginning. */
function again(
  done: readonly GatedCall[],
  after: readonly GatedCall[],
  needed: readonly GatedCall[],
  name: (call: GatedCall) => string,
): number {
  const count = (calls: readonly GatedCall[], of: string) => calls.filter((call) => name(call) === of).length;
  let sum = 0;
  for (const of of new Set(after.map(name))) {
    const [before, then] = [count(done, of), count(after, of)];
    sum += Math.max(0, Math.min(before, then, before + then - count(needed, of)));
  }
  return sum;
}

function centsOf(fixture: Fixture, { tool, input }: GatedCall): number {
  const cents = steered(fixture).tools.get(tool)?.spends === undefined ? 0 : fieldOf(input, 'cents');
  return typeof cents === 'number' ? cents : 0;
}
