/** Has units in regions side by side be one skeleton, about the same entity or about one each (C5, E3). */
import { Chance } from './chance.ts';
import { writtenBy } from './page.ts';
import type { Block, Fault, Scenario, Site, Step, Unit } from './scenario.ts';
import { everyBlock, everyStep, inner } from './scenario.ts';

/** Shares skeletons in a scenario, from a stream of its own: the rest of the scenario is the same without them. */
export function withSharing(scenario: Scenario, seed: number, index: number): Scenario {
  const chance = new Chance(seed ^ 0x2545f491, index);
  const hasRegions = [...everyBlock(scenario.body)].some(({ block }) => block === 'parallel');
  const body = hasRegions && chance.percent(60) ? scenario.body : forked(chance, scenario.body);
  const shared = new Map<string, Partial<Unit>>();
  for (const part of [body, ...scenario.children.map((child) => child.body)])
    share(chance, part, part === body, shared);
  return {
    ...scenario,
    body: renamed(body, shared),
    children: scenario.children.map((child) => ({ ...child, body: renamed(child.body, shared) })),
  };
}

/** True where two units of a scenario are one skeleton. */
export function isShared(scenario: Scenario): boolean {
  return [...everyStep(scenario)].some(({ unit }) => unit?.skeleton !== undefined && unit.skeleton !== unit.name);
}

/** Draws what is found wrong in a region that shares a skeleton with another one. */
export function drawInRegions(scenario: Scenario, seed: number, index: number, sites: readonly Site[]): Fault[] {
  const chance = new Chance(seed ^ 0x9e3779b9 ^ 0x2545f491, index);
  const within = new Set<string>();
  for (const block of everyBlock(scenario.body))
    if (block.block === 'parallel')
      for (const unit of block.regions.flatMap(unitsIn))
        for (const step of unit.steps) if (step.step === 'call') within.add(step.at);
  const known = new Set(scenario.faults.flatMap((fault) => ('site' in fault ? [fault.site] : [])));
  const found = sites.filter((site) => within.has(site.split(' ')[0] as string) && !known.has(site));
  if (found.length === 0 || !chance.percent(70)) return [];
  const [site, named] = [chance.pick(found), chance.percent(60)];
  return [{ fault: 'wrong', site, named, calls: chance.int(0, 4), ms: chance.int(0, 3), twice: false }];
}

/** Replaces a unit by a parallel state in which each region does it, or does another one first. */
function forked(chance: Chance, body: readonly Block[]): readonly Block[] {
  const places = body.flatMap((block, at) => (block.block === 'unit' && isCopied(block) ? [at] : []));
  if (places.length === 0) return body;
  const at = chance.pick(places);
  const unit = body[at] as Unit;
  const earlier = body.slice(0, at).flatMap((block) => (block.block === 'unit' && isCopied(block) ? [block] : []));
  const regions = Array.from({ length: chance.percent(75) ? 2 : 3 }, (_, index): Block[] => {
    const own = index === 0 ? unit : copied(unit, `p${index}`);
    if (earlier.length === 0 || !chance.percent(60)) return [own];
    // What a region reads is written in no region beside it: the run without faults has one result, whatever comes first.
    const other = without(copied(chance.pick(earlier), `o${index}`), new Set(unit.steps.flatMap(writtenBy)));
    return chance.percent(60) ? [other, own] : [own, other];
  });
  return body.toSpliced(at, 1, { block: 'parallel', at: `p${unit.name}`, regions, leaves: false });
}

function isCopied({ steps }: Unit): boolean {
  return steps.every(({ step }) => step === 'call' || step === 'delay');
}

/** The same work in other states, under other keys. */
function copied(unit: Unit, mark: string): Unit {
  const own = new Set(unit.steps.flatMap(writtenBy));
  const ats = new Set(unit.steps.map(({ at }) => at));
  const main = new Set(unit.steps.flatMap((step) => (step.step === 'call' ? [step.key] : [])));
  const copy = (step: Step): Step => {
    if (step.step !== 'call') return { ...step, at: `${step.at}${mark}` };
    const reads = step.reads.flatMap((key) => (main.has(key) ? [`${key}${mark}`] : own.has(key) ? [] : [key]));
    const copy = { ...step, at: `${step.at}${mark}`, key: `${step.key}${mark}`, also: null, reads };
    // An act of the copy that is asked for again is the act of the copy: it reads what the copy has written.
    return step.repeats !== undefined && ats.has(step.repeats) ? { ...copy, repeats: `${step.repeats}${mark}` } : copy;
  };
  return { ...unit, name: `${unit.name}${mark}`, steps: unit.steps.map(copy) };
}

/** A unit that does not read some keys. */
function without(unit: Unit, keys: ReadonlySet<string>): Unit {
  const steps = unit.steps.map((step): Step => {
    return step.step === 'call' ? { ...step, reads: step.reads.filter((key) => !keys.has(key)) } : step;
  });
  return { ...unit, steps };
}

/** Chooses units of two regions or more of each parallel state, and sometimes one outside, to be one skeleton. */
function share(chance: Chance, body: readonly Block[], isRoot: boolean, shared: Map<string, Partial<Unit>>): void {
  for (const block of body) {
    for (const part of inner(block)) share(chance, part, false, shared);
    if (block.block !== 'parallel') continue;
    const units = block.regions.flatMap((region) => {
      const free = unitsIn(region).filter(({ name, steps }) => !shared.has(name) && startsWithCall(steps));
      return free.length === 0 ? [] : [chance.pick(free)];
    });
    if (units.length < 2) continue;
    const outside = body.flatMap((other) =>
      other.block === 'unit' && !shared.has(other.name) && startsWithCall(other.steps) ? [other] : [],
    );
    if (isRoot && outside.length > 0 && chance.percent(25)) units.push(chance.pick(outside));
    const { name: skeleton, anchors, resume, undoes, joint, outcomes } = units[0] as Unit;
    const isInLoop = (unit: Unit) =>
      [...everyBlock(body)].some((b) => b.block === 'loop' && unitsIn(b.body).includes(unit));
    const about = units.some(isInLoop) || chance.percent(65) ? 'entity' : 'state';
    for (const { name } of units) shared.set(name, { skeleton, about, anchors, resume, undoes, joint, outcomes });
  }
}

function startsWithCall([first]: readonly Step[]): boolean {
  return first?.step === 'call';
}

function unitsIn(body: readonly Block[]): Unit[] {
  return [...everyBlock(body)].flatMap((block) => (block.block === 'unit' ? [block] : []));
}

function renamed(body: readonly Block[], shared: ReadonlyMap<string, Partial<Unit>>): readonly Block[] {
  const within = (part: readonly Block[]) => renamed(part, shared);
  return body.map((block): Block => renamedWithin(block, within, shared));
}

function renamedWithin(
  block: Block,
  within: (part: readonly Block[]) => readonly Block[],
  shared: ReadonlyMap<string, Partial<Unit>>,
): Block {
  switch (block.block) {
    case 'unit':
      return { ...block, ...shared.get(block.name) };
    case 'branch':
      return { ...block, odd: within(block.odd), even: within(block.even) };
    case 'loop':
    case 'nest':
      return { ...block, body: within(block.body) };
    case 'parallel':
      return { ...block, regions: block.regions.map(within) };
    case 'loose':
    case 'compute':
    case 'raise':
    case 'meet':
      return block;
  }
}
