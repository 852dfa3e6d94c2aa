/**
 * WH1 held against complaints: where `whyOf` says that an act rests on a version, a complaint about that version takes the act back, sets it aside to be
 * compared, or is blocked by it. The reverse, where each unit is one call: an act that a complaint takes back rests on its version.
 * `npx tsx test/why/duality.ts [--seed 1] [--runs 10000]` plays random programs, `--family reading|row|beside|anywhere [--every 1] [--from 0]` those of an
 * enumeration, and prints what it has counted.
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
import { call, GO, OK } from '../steering/nodes.ts';
import { CLASSES, callsIn, type Node, type Program } from '../steering/programs.ts';
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
  /** The acts that a complaint takes back and that rest on its version, where each unit is one call. */
  reverse: number;
  /** The acts that a complaint takes back with the place of the machine, or with what their unit read behind them. */
  beside: number;
  /** The acts that a complaint takes back for a read of their step that `why` does not name. */
  coarser: number;
  readonly wrong: string[];
}

/** Nothing counted yet. */
export function counting(): Duality {
  return {
    runs: 0,
    acts: 0,
    back: 0,
    aside: 0,
    blocked: 0,
    again: 0,
    elsewhere: 0,
    refused: 0,
    ofRoots: 0,
    reverse: 0,
    beside: 0,
    coarser: 0,
    wrong: [],
  };
}

/** Every version in an answer, at whatever depth. */
function* versionsIn(on: readonly WhyVersion[]): Generator<WhyVersion> {
  for (const version of on) {
    yield version;
    if ('on' in version.source) yield* versionsIn(version.source.on);
  }
}

/** Judges each act of a run that stands, with each version that it rests on. */
function judge(counts: Duality, program: Program): Looks {
  return async (sidecar, store) => {
    if (sidecar.status !== 'running') return;
    const rows = [...(await gathered(store.read('r')))];
    const whys: Known[] = [];
    for (const { key, at, status, intent } of timelineOf(rows).runState.ledger.recorded()) {
      if (at === null || status !== 'confirmed') continue;
      counts.acts += 1;
      const [why] = whyOf(rows, { call: key }).slice(-1);
      const act = { key, at, name: instanceName(intent.instance) };
      const on = [...versionsIn(why?.on ?? [])];
      whys.push({ act, on });
      for (const version of on) await judgePair(counts, sidecar, act, version);
    }
    if (program.joined !== true) await judgeKeys(counts, sidecar, rows, { program, whys });
  };
}

async function judgeKeys(
  counts: Duality,
  sidecar: Parameters<Looks>[0],
  rows: Parameters<typeof whyOf>[0],
  { program, whys }: { readonly program: Program; readonly whys: readonly Known[] },
): Promise<void> {
  for (const name of callsIn(program).keys())
    for (const { on } of whyOf(rows, { key: `k${name}` }))
      for (const version of on) await judgeReverse(counts, sidecar, whys, version);
}

/** An act, and all that it rests on. */
type Known = { readonly act: Act; readonly on: readonly WhyVersion[] };

/** True where an act is taken back for what was read before it alone: for no place of the machine, and for nothing that its unit read behind it. */
function isByReads({ name, at: left }: Act, decision: Decision): boolean {
  const moves = new Map(decision.line?.moves.map((move) => [instanceName(move.instance), move]));
  const seen = new Set<string>();
  let before = left;
  for (let at = name; !seen.has(at); ) {
    seen.add(at);
    const cause = moves.get(at)?.cause ?? null;
    if (cause === null) return true;
    if (cause.kind !== 'read' || cause.step > before) return false;
    before = cause.write;
    at = instanceName(cause.producer);
  }
  return false;
}

/** What is taken back because of a version rests on it. */
async function judgeReverse(
  counts: Duality,
  sidecar: Parameters<Looks>[0],
  whys: readonly Known[],
  version: WhyVersion,
): Promise<void> {
  const { by, key } = version;
  if (by === null || by.skeleton === ROOT) return;
  const answers = await decisionsOf(sidecar, { instance: by, key });
  if (typeof answers === 'string') return;
  for (const { act, on } of whys) {
    const back = answers.filter(({ decision }) => effectOn(act, decision) === 'back');
    if (back.length === 0 || act.name === instanceName(by)) continue;
    const rests = on.some((each) => each.by !== null && instanceName(each.by) === instanceName(by));
    if (rests) counts.reverse += 1;
    else if (!back.some(({ decision }) => isByReads(act, decision))) counts.beside += 1;
    else counts.coarser += 1;
  }
}

type Answers = readonly { readonly decision: Decision }[];

/** The decisions that a complaint would come to, or the code of its refusal. */
async function decisionsOf(sidecar: Parameters<Looks>[0], complaint: object): Promise<Answers | string> {
  const previewed = await sidecar
    .preview({ fail: { signal: 'CONTRACT_VIOLATION', ...complaint } } as never)
    .catch((error: { code?: string }) => error.code ?? 'unknown');
  return typeof previewed === 'string' ? previewed : (previewed as unknown as { answers: Answers }).answers;
}

async function judgePair(counts: Duality, sidecar: Parameters<Looks>[0], act: Act, version: WhyVersion): Promise<void> {
  if (version.by === null) return;
  if (version.by.skeleton === ROOT) {
    counts.ofRoots += 1;
    return;
  }
  const complaint = { instance: version.by, key: version.key };
  const answers = await decisionsOf(sidecar, complaint);
  if (typeof answers === 'string') {
    counts.refused += 1;
    return;
  }
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
    await play(played, judge(counts, played.program));
  }
  return counts;
}

/** Judges one scenario. */
export async function dualityOf(scenario: Scenario, counts: Duality): Promise<void> {
  counts.runs += 1;
  await play(scenario, judge(counts, scenario.program));
}

/** Every pair of units of one call beside each other, of which one reads what the other has written by then, with an act on its event and without. */
export function readingBeside(): readonly Scenario[] {
  const kinds = [...CLASSES, 'deciding'] as const;
  const programs = kinds.flatMap((first) =>
    kinds.flatMap((second) =>
      [['ka0'], ['ka0', 'q'], ['q']].map((reads): Program => {
        return { regions: [[call([], first)], [GO, call(reads, second), OK]], handler: false };
      }),
    ),
  );
  const said = [
    { act: 'revise', to: 2, actAt: 99 },
    { act: 'revise', to: 2, actAt: 1 },
    { act: 'retract', to: 0, actAt: 1 },
    { act: 'revise', to: 2, actAt: 2 },
    { act: 'retract', to: 0, actAt: 2 },
  ] as const;
  return programs.flatMap((program) =>
    said.map((one) => ({ program, order: [], sendAt: 1, actsAtOnce: true, ...one })),
  );
}

async function ofFamily(family: string, every: number, from: number): Promise<Duality> {
  const { DECIDING, decidingScenarios } = await import('./deciding-family.ts');
  const counts = counting();
  const own = [...(DECIDING[family]?.() ?? [])].flatMap((one) => [...decidingScenarios(one)]);
  const all = family === 'reading' ? readingBeside() : own;
  for (let nth = from; nth < all.length; nth += every) await dualityOf(all[nth] as Scenario, counts);
  console.log(`${family}: ${counts.runs} of ${all.length}`);
  return counts;
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { seed: text, runs: text, family: text, every: text, from: text } });
  const { seed = '1', runs = '10000', family, every = '1', from = '0' } = values;
  const { wrong, ...counts } = await (family === undefined
    ? duality(Number(seed), Number(runs))
    : ofFamily(family, Number(every), Number(from)));
  console.log(counts, `${wrong.length} wrong`);
  for (const text of wrong.slice(0, 5)) console.log(text);
  if (wrong.length > 0) process.exitCode = 1;
}
