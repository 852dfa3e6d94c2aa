/** Makes a scenario from a seed, runs it, and has it judged. */

import type { Counted } from '../control-counters.ts';
import { VirtualTime } from '../virtual-time.ts';
import { drawByHand } from './by-hand.ts';
import { Chance } from './chance.ts';
import { Course } from './course.ts';
import type { End } from './ending.ts';
import { drawFaults } from './faults.ts';
import type { Feature } from './features.ts';
import { Generator } from './generate.ts';
import { judge, type Verdict } from './judge.ts';
import { drawLate } from './late.ts';
import { drawPauses } from './pausing.ts';
import { type Reference, referenceOf } from './reference.ts';
import { withRepeats } from './repeats.ts';
import type { Fault, Scenario, Site } from './scenario.ts';
import { drawInRegions, withSharing } from './sharing.ts';

/** What came of a scenario. */
export interface Result {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  readonly end: Pick<End, 'told' | 'rounds' | 'status'>;
  readonly fired: readonly Fault['fault'][];
  /** Acts that stand, by their keys; for whoever looks at a failure. */
  readonly acts: readonly string[];
  /** How often the rules of control were needed. */
  readonly counts: Counted;
}

/** Draws that are made besides those of every run. */
export interface Also {
  /** True where a person undoes by hand what nobody has asked for (E8). */
  readonly byHand?: boolean;
  /** True where the machine asks again for acts that it has asked for (ON1 to ON5). */
  readonly repeats?: boolean;
  /** True where more replies come late (C10, C11). */
  readonly late?: boolean;
  /** True where a person pauses the run, and has it go on later (LC10). */
  readonly pauses?: boolean;
  /** True where units in several regions are one skeleton (C5, E3). */
  readonly sharing?: boolean;
}

/**
 * Generates the n-th scenario of a seed, and its faultless run, in a time of its own.
 * @param also what happens besides.
 */
export function scenarioOf(
  seed: number,
  index: number,
  only: readonly Feature[] | null,
  also: Also = {},
): Promise<{ scenario: Scenario; calm: Reference }> {
  return new VirtualTime().during(() => drawn(seed, index, only, also));
}

async function drawn(
  seed: number,
  index: number,
  only: readonly Feature[] | null,
  { byHand: isByHand = false, repeats = false, late = false, pauses = false, sharing = false }: Also,
): Promise<{ scenario: Scenario; calm: Reference }> {
  const chance = new Chance(seed, index);
  // In some runs what goes wrong is a value that much later work has little to do with: that work is what is set aside.
  const isApart = chance.percent(60);
  const generator = new Generator(chance, only, isApart);
  const body = generator.body();
  const alone: Scenario = {
    body,
    tools: generator.tools,
    children: generator.children,
    redeliver: chance.percent(40),
    paged: false,
    faults: [],
  };
  const apart = repeats ? withRepeats(alone, seed, index) : alone;
  const plain = sharing ? withSharing(apart, seed, index) : apart;
  const reference = await referenceOf(plain, new Set());
  if (reference === null)
    throw new Error(`run ${index} of seed ${seed}: the machine itself comes to no end: ${JSON.stringify(plain)}`);
  const faults = drawFaults(chance, plain, reference.sites, isApart);
  const byHand = isByHand ? drawByHand(seed, index, reference.sites.length) : [];
  const more = late ? drawLate(seed, index, faults, reference.sites) : [];
  const paused = pauses ? drawPauses(seed, index, reference.sites.length) : [];
  const inRegions = sharing ? drawInRegions({ ...plain, faults }, seed, index, reference.sites) : [];
  return {
    scenario: { ...plain, faults: [...faults, ...byHand, ...more, ...paused, ...inRegions], paged: chance.percent(50) },
    calm: reference,
  };
}

/**
 * Runs a scenario and judges it, in a time of its own: the same scenario always comes to the same end.
 * @param calm its faultless run, where that is known.
 * @returns null where it has no faultless run to be compared with.
 */
export function runScenario(scenario: Scenario, calm: Reference | null = null): Promise<Result | null> {
  return new VirtualTime().during(() => runNow(scenario, calm));
}

async function runNow(scenario: Scenario, calm: Reference | null): Promise<Result | null> {
  const course = new Course(scenario);
  let end: End;
  let uncaught: (error: unknown) => void = () => {};
  const crash = new Promise<never>((_, reject) => {
    uncaught = reject;
  });
  process.on('uncaughtException', uncaught);
  try {
    end = await Promise.race([course.run(), crash]);
  } catch (error) {
    const verdict = {
      is: 'hang',
      text: `the sidecar throws: ${error instanceof Error ? error.stack : String(error)}`,
    } as const;
    return {
      scenario,
      verdict,
      end: { told: course.told, rounds: 0, status: 'hang' },
      fired: firedIn(course),
      acts: [],
      counts: course.counters.counts,
    };
  } finally {
    process.off('uncaughtException', uncaught);
  }
  return judged(scenario, course, end, calm);
}

/** Judges a run that has ended. @returns null where it has no faultless run to be compared with. */
export async function judged(
  scenario: Scenario,
  course: Course,
  end: End,
  calm: Reference | null,
): Promise<Result | null> {
  const references = await referencesOf(scenario, calm, course, end.refused);
  if (references.length === 0) return null;
  const verdict = judge(scenario, end, course.world, references);
  const acts = course.world.acts.map(
    ({ tool, args, key, stands }) => `${stands ? 'stands' : 'undone'} ${tool.name} ${JSON.stringify(args)} ${key}`,
  );
  return { scenario, verdict, end, fired: firedIn(course), acts, counts: course.counters.counts };
}

/** The faultless runs: with the wrong values that nobody found; where a complaint was refused, or nobody lived to take it, with that value and without. */
async function referencesOf(
  scenario: Scenario,
  calm: Reference | null,
  { world }: Course,
  refused: ReadonlySet<Site>,
): Promise<Reference[]> {
  const wrong = scenario.faults.flatMap((fault) => (fault.fault === 'wrong' ? [fault.site] : []));
  const left = new Set(wrong.filter((site) => !world.found.has(site)));
  let sets = [left];
  for (const site of refused) sets = sets.flatMap((set) => [set, new Set([...set, site])]);
  const references = await Promise.all(
    sets.map((set) => (set.size === 0 && calm !== null ? calm : referenceOf(scenario, set))),
  );
  return references.filter((reference) => reference !== null);
}

function firedIn({ world }: Course): Fault['fault'][] {
  return [...world.fired].map(({ fault }) => fault);
}
