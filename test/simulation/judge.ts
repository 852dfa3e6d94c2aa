/** DecisionPolicy how a run ended, by the world and the final context only, against the run without faults. */
import { isDeepStrictEqual } from 'node:util';
import type { Decision } from 'belay-sidecar';
import type { End } from './ending.ts';
import { actText, type Reference } from './reference.ts';
import type { Scenario, Site } from './scenario.ts';
import { everyStep, siteOf } from './scenario.ts';
import type { Act, World } from './world.ts';

/** What is wrong with an ending. */
type Harm = 'twice' | 'left over' | 'lost' | 'context' | 'twice while parked' | 'left while paused';

/** The judge's answer. */
export type Verdict =
  | { readonly is: 'same' }
  | { readonly is: 'parked'; readonly codes: readonly string[]; readonly needless: boolean }
  | { readonly is: 'harm'; readonly harms: readonly Harm[]; readonly text: string }
  | { readonly is: 'hang'; readonly text: string };

/** How a needless park is told from others. */
export const NEEDLESS =
  'a park is called needless if the config licenses every undo and joint restore that it would take, the failure names its unit, and no call of unknown outcome lacks a reconciler';

/** Judges a run. @param references the faultless runs that it may be equal to. */
export function judge(
  scenario: Scenario,
  end: Pick<End, 'status' | 'context' | 'decision' | 'unpublished' | 'value'>,
  world: World,
  references: readonly Reference[],
): Verdict {
  const left = world.leftWhilePaused;
  if (left > 0) return { is: 'harm', harms: ['left while paused'], text: `${left} calls left while it was paused` };
  const standing = world.acts.filter(({ stands }) => stands);
  const twice = irrevocablyTwice(standing);
  if (end.status !== 'done') {
    if (twice.length > 0) return { is: 'harm', harms: ['twice while parked'], text: twice.join('; ') };
    if (end.status === 'hang') return { is: 'hang', text: `stands still at ${JSON.stringify(end.value)}` };
    const codes = codesOf(end.decision);
    return { is: 'parked', codes, needless: isNeedless(scenario, world, standing, codes) };
  }
  const verdicts = references.map((reference) => compare(end, standing, reference));
  const best = verdicts.find(({ is }) => is === 'same') ?? verdicts[0];
  const isOnlyLost = (verdict: Verdict) => verdict.is === 'harm' && verdict.harms.every((harm) => harm === 'lost');
  if (best?.is === 'harm' && end.unpublished > 0 && verdicts.some(isOnlyLost))
    return { is: 'parked', codes: ['unpublished'], needless: false };
  return best ?? { is: 'hang', text: 'nothing to compare with' };
}

function compare(end: Pick<End, 'context'>, standing: readonly Act[], reference: Reference): Verdict {
  const harms = new Set<Harm>();
  const told: string[] = [];
  const acts = standing.map(({ tool, args }) => actText(tool.name, args));
  const expected = counted(reference.acts);
  for (const [act, count] of counted(acts)) {
    const right = expected.get(act) ?? 0;
    if (count > right) {
      harms.add(right > 0 ? 'twice' : 'left over');
      told.push(`${right > 0 ? `stands ${count} times` : 'is left over'}: ${act}`);
    }
  }
  const have = counted(acts);
  for (const [act, count] of expected) {
    if ((have.get(act) ?? 0) >= count) continue;
    harms.add('lost');
    told.push(`is lost: ${act}`);
  }
  if (!isDeepStrictEqual(plain(end.context), plain(reference.context))) {
    harms.add('context');
    told.push(`the context is ${JSON.stringify(end.context)} and not ${JSON.stringify(reference.context)}`);
  }
  return harms.size === 0 ? { is: 'same' } : { is: 'harm', harms: [...harms], text: told.join('; ') };
}

/** Acts that can never be taken back and stand twice for one decision: harm wherever the run stands. */
function irrevocablyTwice(standing: readonly Act[]): string[] {
  const seen = new Map<Site, Act>();
  const told: string[] = [];
  for (const act of standing) {
    if (act.tool.effect !== 'irreversible') continue;
    const site = `${act.tool.name} ${siteOf(act.args)}`;
    const first = seen.get(site);
    if (first === undefined) seen.set(site, act);
    else told.push(`${actText(act.tool.name, first.args)} and ${JSON.stringify(act.args)} both stand`);
  }
  return told;
}

function isNeedless(scenario: Scenario, world: World, standing: readonly Act[], codes: readonly string[]): boolean {
  if (codes.includes('ambiguous_instance')) return false;
  const units = new Map([...everyStep(scenario)].map(({ step, unit }) => [step.at, unit]));
  if (codes.includes('committed_consumers_present') && [...units.values()].some((unit) => unit?.joint === 'none'))
    return false;
  const mayUndo = ({ tool: { effect, undo }, args }: Act) =>
    undo && (effect === 'reversible' || (effect === 'compensable' && units.get(args.at)?.undoes === true));
  const unknown = [...world.fired].some((fault) => {
    if (!('site' in fault) || fault.fault === 'wrong' || fault.fault === 'not applied' || fault.fault === 'misspelt')
      return false;
    return world.acts.some(({ tool, args }) => siteOf(args) === fault.site && !tool.reconcile);
  });
  return standing.every((act) => act.tool.effect === 'idempotent' || mayUndo(act)) && !unknown;
}

/** The reason codes of a decision, each once. */
function codesOf(decision: Decision | null): string[] {
  const codes = (decision?.refusals ?? []).flatMap((refusal) =>
    'code' in refusal ? [refusal.code as string] : refusal.adds.map(({ code }) => code as string),
  );
  return codes.length === 0 ? [decision?.verdict ?? 'no decision'] : [...new Set(codes)].toSorted();
}

function counted(list: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
