/** Runs the machine of a scenario without faults and without the sidecar: the one result that a run may have. */
import { type Actor, type AnyStateMachine, createActor } from 'xstate';
import { canonical, digest } from './digest.ts';
import { build } from './machine.ts';
import type { Awaiting, Memory } from './places.ts';
import { type Scenario, type Site, siteOf } from './scenario.ts';
import { rightAnswer, sleep, WRONG_BY } from './world.ts';

/** What the faultless run leaves. */
export interface Reference {
  readonly context: unknown;
  /** The acts that stand, each as a text, sorted. */
  readonly acts: readonly string[];
  /** The calls, in the order in which they began. */
  readonly sites: readonly Site[];
}

/** An act as the judge compares it: not by its key. */
export function actText(tool: string, args: unknown): string {
  return `${tool} ${canonical(args)}`;
}

/** The names of all states that a machine is in. */
export function statesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as object).flatMap(([name, within]) => [name, ...statesIn(within)]);
}

/** What an honest sender sends for an occasion. */
export function eventFor({ at, occasion }: Awaiting, memory: Memory): { type: string; value: number } {
  return { type: at, value: digest(occasion(memory)) };
}

/** Runs a scenario plainly. @param wrong the sites whose wrong value nobody finds. @returns null where it comes to no end. */
export async function referenceOf(scenario: Scenario, wrong: ReadonlySet<Site>): Promise<Reference | null> {
  const acts: string[] = [];
  const sites: Site[] = [];
  const { machine, awaiting } = build(scenario, async (spec, { input }) => {
    sites.push(siteOf(input));
    const act = actText(spec.name, input);
    const isOld = spec.once !== undefined && acts.includes(act);
    if (spec.effect !== 'none' && !isOld) acts.push(act);
    return rightAnswer(spec, input) + (wrong.has(siteOf(input)) ? WRONG_BY : 0);
  });
  const actor: Actor<AnyStateMachine> = createActor(machine);
  let error: unknown = null;
  actor.subscribe({
    error: (thrown) => {
      error = thrown;
    },
  });
  actor.start();
  for (let i = 0; i < 300 && actor.getSnapshot().status === 'active'; i++) {
    const { value, context } = actor.getSnapshot();
    const states = statesIn(value);
    const awaited = awaiting.find(({ at }) => states.includes(at));
    if (awaited !== undefined) actor.send(eventFor(awaited, context as Memory));
    else await sleep(1);
  }
  const { status, context } = actor.getSnapshot();
  actor.stop();
  if (error !== null) throw error;
  return status === 'done' ? { context, acts: acts.toSorted(), sites } : null;
}
