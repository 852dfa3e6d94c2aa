/**
 * The paths from an act to the steps that rest on it, by what the tools declare and by the order of control: the study's own count,
 * which asks no journal.
 */
import { type Key, overlaps, parseKey } from 'belay-sidecar';
import { fieldOf } from '../../domains/there.ts';
import { differing } from '../memory.ts';
import { type Fixture, steeredPage } from './fixtures.ts';
import type { GatedCall } from './gate.ts';
import type { Kept, Plain } from './runs.ts';
import type { Plan } from './scenarios.ts';

/**
 * Tells which of the calls that were done rest on an act: those that have read of it, or of what rests on it; those to which control
 * comes over such a call, or over an answer that leads elsewhere now; and the other calls of their units, which are redone from a boundary.
 */
export function pathFrom(fixture: Fixture, { from }: Plan, base: Plain, told: Plain): Path {
  // An approval moves control, and all behind it rests on that.
  if (from === null) return (done) => new Set(done);
  const { tools } = pageOf(fixture);
  const keysOf = ({ tool, input }: GatedCall, what: 'reads' | 'writes') =>
    (tools[tool]?.[what] ?? []).flatMap((key) => keyFor(key, input));
  const changed = differing(contextAt(base, from), contextAt(told, from));
  const elsewhere = leadsElsewhere(base, told);
  const counted = (calls: readonly GatedCall[]) => new Set(calls.map(asAsked));
  const [before, straight] = [base.answers.slice(0, from), base.answers.slice(0, Math.max(from, elsewhere))].map(
    counted,
  );
  return (done, units) => {
    const since = done.filter((call) => before?.has(asAsked(call)) !== true);
    const path = new Set<GatedCall>();
    const dirty: Key[] = [...changed];
    for (const call of since) {
      const reads = keysOf(call, 'reads').some((key) => dirty.some((other) => overlaps(key, other)));
      const leads = straight?.has(asAsked(call)) !== true;
      if (!reads && !leads && ![...path].some((earlier) => isBehind(call, earlier))) continue;
      path.add(call);
      dirty.push(...keysOf(call, 'writes'));
    }
    const redone = new Set([...path].map((call) => units?.get(asAsked(call))));
    redone.delete(undefined);
    return new Set(since.filter((call) => path.has(call) || redone.has(units?.get(asAsked(call)))));
  };
}

const pages = new Map<string, ReturnType<typeof steeredPage>>();

function pageOf(fixture: Fixture): ReturnType<typeof steeredPage> {
  const page = pages.get(fixture.name) ?? steeredPage(fixture);
  pages.set(fixture.name, page);
  return page;
}

/** The calls that rest on an act, of the calls that were done; `units` are the units of work of calls, by what these were asked. */
type Path = (done: readonly GatedCall[], units?: ReadonlyMap<string, string>) => ReadonlySet<GatedCall>;

const asAsked = ({ tool, args }: GatedCall) => `${tool} ${args}`;

/** The number of answers before the first one that leads elsewhere. */
function leadsElsewhere(base: Plain, told: Plain): number {
  const differs = base.answers.findIndex((call, index) => {
    const other = told.answers[index];
    return other === undefined || asAsked(call) !== asAsked(other);
  });
  return differs < 0 ? base.answers.length : differs - 1;
}

/** True if control comes to a call over another one: all work is one sequence, but for the cities of a trip. */
function isBehind({ input }: GatedCall, earlier: GatedCall): boolean {
  const [own, other] = [fieldOf(input, 'place'), fieldOf(earlier.input, 'place')];
  return own === undefined || other === undefined || own === other;
}

function contextAt({ kept }: Plain, moment: number): unknown {
  const at: Kept | undefined = kept.findLast((each) => each.moment === moment);
  return fieldOf(at?.snapshot, 'context');
}

/** A declared key for the arguments of a call; none that a name is missing in. */
function keyFor(declared: string, args: unknown): Key[] {
  const text = declared.replaceAll(/\{args\.(\w+)\}/g, (_, name: string) => String(fieldOf(args, name) ?? ''));
  try {
    return [parseKey(text)];
  } catch {
    return [];
  }
}
