/**
 * DecisionPolicy how a case ended against the legal endings of its machine. Done is safe only where some legal run ends with this memory and
 * these acts. A park must leave nothing that a person could not put right, and is needless where nothing irrevocable forced it.
 */
import type { RunResult } from './driver.ts';
import type { EnumeratedCase } from './failures.ts';
import { actText } from './interpreter.ts';
import { isWithin, type LegalEnding, memoryText, minus } from './legal.ts';
import { answerOf, callText, type EffectClass } from './little-machine.ts';
import type { Act } from './world.ts';

export type Verdict =
  | { readonly is: 'same' }
  | { readonly is: 'parked'; readonly isNeeded: boolean; readonly cause: string }
  | { readonly is: 'unsafe'; readonly cause: string }
  | { readonly is: 'hang'; readonly cause: string };

/** DecisionPolicy one run. `reconciles`: whether counterparties could be asked. */
export function judge(
  one: EnumeratedCase,
  { rest, memory, world }: RunResult,
  legal: readonly LegalEnding[],
  reconciles: boolean,
): Verdict {
  if (rest.is === 'hang') return { is: 'hang', cause: rest.why };
  if (rest.is === 'done') return judgeDone(memoryText(memory), world.standing(), legal);
  const harm = harmOfPark(one, world.acts, legal);
  if (harm !== null) return { is: 'unsafe', cause: `parked, and ${harm}` };
  const isNeeded = isForced(one, world.acts, legal) || (!reconciles && isUnknown(one));
  return { is: 'parked', isNeeded, cause: [rest.verdict, ...rest.codes].join(' ') };
}

function judgeDone(memory: string, acts: readonly string[], legal: readonly LegalEnding[]): Verdict {
  if (legal.some((ending) => ending.memory === memory && isSame(ending.acts, acts))) return { is: 'same' };
  const sameMemory = legal.filter((ending) => ending.memory === memory);
  const near = (sameMemory.length > 0 ? sameMemory : legal).map((ending) => ({
    extra: minus(acts, ending.acts),
    missing: minus(ending.acts, acts),
  }));
  const [first] = near.sort((a, b) => a.extra.length + a.missing.length - b.extra.length - b.missing.length);
  const told = [
    ...(sameMemory.length === 0 ? [`no legal run ends with ${memory}`] : []),
    ...(first?.extra ?? []).map((act) => `too much: ${act}`),
    ...(first?.missing ?? []).map((act) => `missing: ${act}`),
  ];
  return { is: 'unsafe', cause: told.join('; ') };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && isWithin(a, b);
}

/** Says what a parked run has done since the failure that no person can put right, or null. */
function harmOfPark(one: EnumeratedCase, acts: readonly Act[], legal: readonly LegalEnding[]): string | null {
  const standing = acts.filter((act) => !act.undone && act.class !== 'idempotent');
  const twice = standing.find((act, at) =>
    standing.some((other, before) => before < at && callText(other.call) === callText(act.call)),
  );
  if (twice !== undefined) return `${callText(twice.call)} stands twice`;
  const later = acts.filter((act) => act.isLater && !act.undone && IRREVOCABLE.has(act.class));
  const done = later.map((act) => textOf(act)).join('; ');
  if (!later.every((act) => legal.some((ending) => ending.acts.includes(textOf(act)))))
    return `no legal run does what was done since: ${done}`;
  const isMadeWorse = !isForced(one, acts, legal) && !fits(one, [...acts.filter(stood), ...later], legal);
  return isMadeWorse ? `nothing legal can follow what was done since: ${done}` : null;
}

function textOf({ call, args, answer }: Act): string {
  return actText(call, args, answer);
}

function stood(act: Act): boolean {
  return act.stoodBefore && IRREVOCABLE.has(act.class);
}

const IRREVOCABLE: ReadonlySet<EffectClass> = new Set(['irreversible', 'idempotent'] as const);

/**
 * True where what stood irrevocably at the failure is within no legal ending: then whatever is kept, undone, done again or reused, none
 * is reached.
 */
function isForced(one: EnumeratedCase, acts: readonly Act[], legal: readonly LegalEnding[]): boolean {
  return !fits(one, acts.filter(stood), legal);
}

/** True where acts are within a legal ending. The suspect's own idempotent call can be asked again, so it counts as right. */
function fits(one: EnumeratedCase, acts: readonly Act[], legal: readonly LegalEnding[]): boolean {
  const texts = acts.map((act) => {
    const isSuspect = act.class === 'idempotent' && callText(act.call) === callText(one.call);
    return actText(act.call, act.args, isSuspect ? answerOf(act.call, act.args, false) : act.answer);
  });
  return legal.some((ending) => isWithin([...new Set(texts)], ending.acts));
}

/** True where nobody can know what became of a call. */
function isUnknown({ machine, kind, call }: EnumeratedCase): boolean {
  const effect = machine.tools.find(({ name }) => name === call.tool)?.class;
  const hasOpenOutcome = kind === 'lost reply' || kind === 'throws before acting' || kind === 'wrong work in flight';
  return hasOpenOutcome && effect !== 'none' && effect !== 'idempotent';
}
