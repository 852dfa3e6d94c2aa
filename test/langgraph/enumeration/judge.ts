/**
 * Judges how a case ended, by the world and the final state alone. The legal ending is that of LangGraph by itself, without Belay, where each call
 * answers right the first time. A park must leave nothing that a person could not put right, and is needless where nothing irrevocable forced it.
 */
import type { Case } from './cases.ts';
import type { Result } from './drive.ts';
import { answerOf, type EffectClass, type LittleGraph } from './little-graph.ts';
import { INPUT, realGraph } from './real-graph.ts';
import type { Act } from './world.ts';

export type Verdict =
  | { readonly is: 'same' }
  | { readonly is: 'parked'; readonly isNeeded: boolean; readonly cause: string }
  | { readonly is: 'wrong' | 'hang'; readonly cause: string };

/** The one legal ending of a graph: its state as text, and what stands in the world. */
export interface LegalEnding {
  readonly state: string;
  readonly acts: readonly string[];
}

/** Runs a graph by LangGraph alone. */
export async function legalEnding(graph: LittleGraph): Promise<LegalEnding> {
  const acts: string[] = [];
  const idempotent = new Set<string>();
  const bare = realGraph(graph, async (tool, { input }) => {
    const answer = answerOf(tool, input, false);
    const is = graph.nodes.find(({ name }) => name === tool)?.class;
    if (is === 'none' || idempotent.has(answer)) return answer;
    if (is === 'idempotent') idempotent.add(answer);
    acts.push(answer);
    return answer;
  });
  return { state: stateText(await bare.invoke(INPUT)), acts: acts.sort() };
}

/** Judges one run. */
export function judge(
  one: Case,
  { rest, world: { acts } }: Pick<Result, 'rest' | 'world'>,
  legal: LegalEnding,
): Verdict {
  if (rest.is === 'hang') return { is: 'hang', cause: rest.why };
  if (rest.is === 'done') return judgeDone(stateText(rest.state), standing(acts), legal);
  const harm = harmOfPark(one, acts, legal);
  if (harm !== null) return { is: 'wrong', cause: `parked, and ${harm}` };
  const cause = [rest.verdict, ...rest.codes, ...(rest.forced.length > 0 ? [`- ${rest.forced.join(', ')}`] : [])].join(
    ' ',
  );
  return { is: 'parked', isNeeded: !isWithin(textsOf(one, acts.filter(stood)), legal.acts), cause };
}

function judgeDone(state: string, acts: readonly string[], legal: LegalEnding): Verdict {
  const told = [
    ...(state === legal.state ? [] : [`ends with ${state} and not with ${legal.state}`]),
    ...minus(acts, legal.acts).map((act) => `too much: ${act}`),
    ...minus(legal.acts, acts).map((act) => `missing: ${act}`),
  ];
  return told.length === 0 ? { is: 'same' } : { is: 'wrong', cause: told.join('; ') };
}

/** Says what a parked run has done since the failure that no person can put right, or null. */
function harmOfPark(one: Case, acts: readonly Act[], legal: LegalEnding): string | null {
  const fixed = acts.filter((act) => !act.undone && act.class !== 'idempotent');
  const twice = fixed.find((act, at) => fixed.some((other, before) => before < at && other.key === act.key));
  if (twice !== undefined) return `${twice.answer} stands twice`;
  const later = acts.filter((act) => act.isLater && !act.undone && IRREVOCABLE.has(act.class));
  const done = textsOf(one, later);
  if (!isWithin(done, legal.acts)) return `no legal run does what was done since: ${done.join('; ')}`;
  const before = acts.filter(stood);
  const isMadeWorse =
    isWithin(textsOf(one, before), legal.acts) && !isWithin(textsOf(one, [...before, ...later]), legal.acts);
  return isMadeWorse ? `nothing legal can follow what was done since: ${done.join('; ')}` : null;
}

const IRREVOCABLE: ReadonlySet<EffectClass> = new Set(['irreversible', 'idempotent'] as const);

function stood({ stoodBefore, undone, class: is }: Act): boolean {
  return stoodBefore && !undone && IRREVOCABLE.has(is);
}

/** Acts as texts. The suspect's own idempotent call can be asked again, so it counts as right. */
function textsOf({ call }: Case, acts: readonly Act[]): string[] {
  const texts = acts.map(({ tool, args, answer, class: is }) =>
    is === 'idempotent' && call.startsWith(`${tool}/${args.of}#`) ? answerOf(tool, args, false) : answer,
  );
  return texts.filter((text, at) => acts[at]?.class !== 'idempotent' || texts.indexOf(text) === at);
}

/** The acts that stand, as texts; an idempotent one that stands twice is written once. */
function standing(acts: readonly Act[]): readonly string[] {
  const left = acts.filter(({ undone }) => !undone);
  const texts = left.map(({ answer }) => answer);
  return texts.filter((text, at) => left[at]?.class !== 'idempotent' || texts.indexOf(text) === at).sort();
}

function stateText(state: unknown): string {
  const entries = Object.entries(state as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries));
}

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  return minus(part, whole).length === 0;
}

/** Takes the members of `taken` out of `from`, each once. */
function minus(from: readonly string[], taken: readonly string[]): readonly string[] {
  const left = [...taken];
  return from.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
