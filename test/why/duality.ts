/**
 * WH1 held against complaints: where `whyOf` says that an act rests on a version, a complaint about that version takes the act back, sets it aside to be
 * compared, or is blocked by it. The reverse, where each unit is one call: an act that a complaint takes back rests on its version, or goes with control,
 * or with a read of its unit behind the act.
 * `npx tsx test/why/duality.ts [--seed 1] [--from 0] [--runs 10000]` plays random programs, `--family reading|row|beside|anywhere [--every 1] [--from 0]`
 * those of an enumeration, and prints what it has counted.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gathered } from '../../src/journal/gathered.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Decision } from '../../src/model/decision.ts';
import { type InstanceId, instanceName, ROOT } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import { standingWrites } from '../../src/projection/relied-reads.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { type WhyVersion, whyOf } from '../../src/reports/why.ts';
import { mixedScenarios } from '../steering/draw.ts';
import { call, GO, OK } from '../steering/nodes.ts';
import { CLASSES, callsIn, type Node, type Program } from '../steering/programs.ts';
import { type Looks, played, type Scenario } from '../steering/scenario.ts';

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
  /** The acts that a complaint takes back with the place of the machine: control, or a start, leads to them from the version. */
  byControl: number;
  /** The acts that a complaint takes back with what their unit read behind them: it goes back to a checkpoint before both. */
  byLaterRead: number;
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
    byControl: 0,
    byLaterRead: 0,
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

/** Judges each act of a run that stands, with each version that it rests on. What an act rested on at its intent is asked once. */
function judge(counts: Duality, program: Program): Looks {
  const rested = new Map<string, readonly WhyVersion[]>();
  return async (sidecar, store) => {
    if (sidecar.status !== 'running') return;
    const rows = [...(await gathered(store.read('r')))];
    const whys: Known[] = [];
    const asking = new Asking(sidecar);
    for (const { key, at, status, intent } of timelineOf(rows).runState.ledger.recorded()) {
      if (at === null || status !== 'confirmed') continue;
      counts.acts += 1;
      const on = rested.get(`${key} ${at}`) ?? [...versionsIn(whyOf(rows, { call: key }).at(-1)?.on ?? [])];
      rested.set(`${key} ${at}`, on);
      const act = { key, at, name: instanceName(intent.instance) };
      whys.push({ act, on });
      for (const version of on) await judgePair(counts, asking, act, version);
    }
    if (program.joined === true) return;
    for (const [by, key] of standingIn(program, rows)) await judgeReverse(counts, asking, whys, { by, key });
  };
}

/** The versions that stand, by the units that wrote them. */
function standingIn(program: Program, rows: readonly StoredRow[]): readonly (readonly [InstanceId, string])[] {
  const { runState } = timelineOf(rows);
  return [...callsIn(program).keys()].flatMap((name) =>
    standingWrites(runState, parseKey(`k${name}`)).map(({ by, key }) => [by.id, key.text] as const),
  );
}

/** An act, and all that it rests on. */
type Known = { readonly act: Act; readonly on: readonly WhyVersion[] };

/** Why an act goes that does not rest on a version: by the dependences of the line, from the act to the complaint. */
function wayBack({ name, at: left }: Act, decision: Decision): 'byControl' | 'byLaterRead' | 'byReads' {
  const moves = new Map(decision.line?.moves.map((move) => [instanceName(move.instance), move]));
  const seen = new Set<string>();
  let before = left;
  for (let at = name; !seen.has(at); ) {
    seen.add(at);
    const cause = moves.get(at)?.cause ?? null;
    if (cause === null) return 'byReads';
    if (cause.kind !== 'read') return 'byControl';
    if (cause.step > before) return 'byLaterRead';
    before = cause.write;
    at = instanceName(cause.producer);
  }
  return 'byControl';
}

/** What is taken back because of a version rests on it. */
async function judgeReverse(
  counts: Duality,
  asking: Asking,
  whys: readonly Known[],
  { by, key }: { readonly by: InstanceId; readonly key: string },
): Promise<void> {
  if (by.skeleton === ROOT) return;
  const answers = await asking.about({ instance: by, key });
  if (typeof answers === 'string') return;
  for (const { act, on } of whys) {
    const back = answers.filter(({ decision }) => effectOn(act, decision) === 'back');
    if (back.length === 0 || act.name === instanceName(by)) continue;
    const rests = on.some((each) => each.by !== null && instanceName(each.by) === instanceName(by));
    const ways = back.map(({ decision }) => wayBack(act, decision));
    const way = (['byControl', 'byLaterRead'] as const).find((each) => ways.includes(each));
    if (rests) counts.reverse += 1;
    else if (way !== undefined) counts[way] += 1;
    else counts.wrong.push(JSON.stringify({ reverse: act, by, key, on, back }).slice(0, 2_000));
  }
}

type Answers = readonly { readonly decision: Decision }[];

/** Asks a run what complaints would come to, each once. */
class Asking {
  readonly #sidecar: Parameters<Looks>[0];
  readonly #asked = new Map<string, Answers | string>();

  constructor(sidecar: Parameters<Looks>[0]) {
    this.#sidecar = sidecar;
  }

  /** The decisions that a complaint would come to, or the code of its refusal. */
  async about(complaint: { readonly instance: InstanceId; readonly key: string }): Promise<Answers | string> {
    const name = JSON.stringify(complaint);
    const known = this.#asked.get(name);
    if (known !== undefined) return known;
    const previewed = await this.#sidecar
      .preview({ fail: { signal: 'CONTRACT_VIOLATION', ...complaint } } as never)
      .catch((error: { code?: string }) => error.code ?? 'unknown');
    const answers = typeof previewed === 'string' ? previewed : (previewed as unknown as { answers: Answers }).answers;
    this.#asked.set(name, answers);
    return answers;
  }
}

async function judgePair(counts: Duality, asking: Asking, act: Act, version: WhyVersion): Promise<void> {
  if (version.by === null) return;
  if (version.by.skeleton === ROOT) {
    counts.ofRoots += 1;
    return;
  }
  const complaint = { instance: version.by, key: version.key };
  const answers = await asking.about(complaint);
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

/** Plays so many drawn scenarios of a seed, from one of them on, and judges each act in each of their moments. */
export async function duality(seed: number, runs: number, from = 0): Promise<Duality> {
  const counts = counting();
  let nth = 0;
  for (const scenario of mixedScenarios(seed)) {
    nth += 1;
    if (nth <= from) continue;
    await dualityOf({ ...scenario, program: mixed(scenario.program, nth) }, counts);
    if (counts.runs === runs) break;
  }
  return counts;
}

/** Judges one scenario. */
export async function dualityOf(scenario: Scenario, counts: Duality): Promise<void> {
  counts.runs += 1;
  const { it } = await played(scenario, judge(counts, scenario.program));
  await it.sidecar.close();
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
    ? duality(Number(seed), Number(runs), Number(from))
    : ofFamily(family, Number(every), Number(from)));
  console.log(counts, `${wrong.length} wrong`);
  for (const text of wrong.slice(0, 5)) console.log(text);
  if (wrong.length > 0) process.exitCode = 1;
}
