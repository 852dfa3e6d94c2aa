/**
 * WH1 held against complaints: where `whyOf` says that an act rests on a version, a complaint about that version takes the act back, sets it aside to be
 * compared, or is blocked by it. `npx tsx test/why/duality.ts [--seed 1] [--runs 200]` plays random programs and prints what it has counted.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gathered } from '../../src/journal/gathered.ts';
import type { Decision } from '../../src/model/decision.ts';
import { instanceName, ROOT } from '../../src/model/instance.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { type WhyVersion, whyOf } from '../../src/reports/why.ts';
import { mixedScenarios } from '../steering/draw.ts';
import type { Node, Program } from '../steering/programs.ts';
import { type Looks, play, type Scenario } from '../steering/scenario.ts';

/** The pairs of an act and a version that were judged, by what the complaint would do to the act. `wrong` are texts. */
export interface Duality {
  runs: number;
  acts: number;
  back: number;
  aside: number;
  blocked: number;
  again: number;
  /** Refused for other acts alone, before anything is said of this one. */
  elsewhere: number;
  refused: number;
  ofRoots: number;
  readonly wrong: string[];
}

/** Nothing counted yet. */
export function counting(): Duality {
  return { runs: 0, acts: 0, back: 0, aside: 0, blocked: 0, again: 0, elsewhere: 0, refused: 0, ofRoots: 0, wrong: [] };
}

/** Every version in an answer, at whatever depth. */
function* versionsIn(on: readonly WhyVersion[]): Generator<WhyVersion> {
  for (const version of on) {
    yield version;
    if ('on' in version.source) yield* versionsIn(version.source.on);
  }
}

/** Judges each act of a run that stands, with each version that it rests on. */
function judge(counts: Duality): Looks {
  return async (sidecar, store) => {
    if (sidecar.status !== 'running') return;
    const rows = [...(await gathered(store.read('r')))];
    for (const { key, at, status, intent } of timelineOf(rows).runState.ledger.recorded()) {
      if (at === null || status !== 'confirmed') continue;
      counts.acts += 1;
      const [why] = whyOf(rows, { call: key }).slice(-1);
      const act = { key, at, name: instanceName(intent.instance) };
      for (const version of versionsIn(why?.on ?? [])) await judgePair(counts, sidecar, act, version);
    }
  };
}

async function judgePair(counts: Duality, sidecar: Parameters<Looks>[0], act: Act, version: WhyVersion): Promise<void> {
  if (version.by === null) return;
  if (version.by.skeleton === ROOT) {
    counts.ofRoots += 1;
    return;
  }
  const complaint = { instance: version.by, key: version.key };
  const previewed = await sidecar
    .preview({ fail: { signal: 'CONTRACT_VIOLATION', ...complaint } } as never)
    .catch((error: { code?: string }) => error.code ?? 'unknown');
  if (typeof previewed === 'string') {
    counts.refused += 1;
    return;
  }
  const { answers } = previewed as unknown as { answers: readonly { readonly decision: Decision }[] };
  const how = answers.map(({ decision }) => effectOn(act, decision));
  const best = (['back', 'aside', 'blocked', 'again', 'elsewhere'] as const).find((each) => how.includes(each));
  if (best !== undefined) counts[best] += 1;
  else counts.wrong.push(JSON.stringify({ act, complaint, version, answers }).slice(0, 2_000));
}

type Act = { readonly key: string; readonly at: number; readonly name: string };

/** What a decision does to an act; null for nothing. */
function effectOn(
  { key, at, name }: Act,
  decision: Decision,
): 'back' | 'aside' | 'blocked' | 'again' | 'elsewhere' | null {
  const aside = ('aside' in decision ? decision.aside : undefined) ?? [];
  const isOf = ({ instance }: { readonly instance: Parameters<typeof instanceName>[0] }) =>
    instanceName(instance) === name;
  if (aside.some(isOf)) return 'aside';
  const move = decision.line?.moves.find(isOf);
  if (move !== undefined && (move.keep === 'none' || move.keep.at < at)) return 'back';
  if (decision.verdict === 'rerun') return 'again';
  if (JSON.stringify(decision.refusals).includes(key)) return 'blocked';
  return decision.verdict === 'escalate' && decision.refusals.length > 0 ? 'elsewhere' : null;
}

/** A program some of whose calls decide, each region of which may be one unit. In three of four nothing is irreversible, so that little is refused. */
function mixed({ regions, ...more }: Program, seed: number): Program {
  let nth = seed;
  const decided = (node: Node): Node => {
    nth += 1;
    if (node.is !== 'call') return node;
    if (nth % 3 === 0) return { ...node, class: 'deciding' };
    return node.class === 'irreversible' && seed % 4 !== 0 ? { ...node, class: 'reversible' } : node;
  };
  const isWhole = regions.every((nodes) => nodes.at(-1)?.is === 'call' && nodes.every(({ is }) => is !== 'branch'));
  return {
    ...more,
    regions: regions.map((nodes) => nodes.map(decided)),
    ...(isWhole && seed % 2 === 0 && { joined: true }),
  };
}

/** Plays so many drawn scenarios of a seed, and judges each act in each of their moments. */
export async function duality(seed: number, runs: number): Promise<Duality> {
  const counts = counting();
  for (const scenario of mixedScenarios(seed)) {
    if (counts.runs === runs) break;
    counts.runs += 1;
    const played: Scenario = { ...scenario, program: mixed(scenario.program, counts.runs) };
    await play(played, judge(counts));
  }
  return counts;
}

/** Judges one scenario. */
export async function dualityOf(scenario: Scenario, counts: Duality): Promise<void> {
  counts.runs += 1;
  await play(scenario, judge(counts));
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, runs: { type: 'string', default: '200' } },
  });
  const { wrong, ...counts } = await duality(Number(values.seed), Number(values.runs));
  console.log(counts, `${wrong.length} wrong`);
  for (const text of wrong.slice(0, 5)) console.log(text);
}
