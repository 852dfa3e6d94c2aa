/**
 * Holds the decisions of a run against those of `belay decide` on its exported trace: the same but for numbering and for calls that
 * were settled.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { TracedControl } from '../../src/history/control-trace.ts';
import { History } from '../../src/history/history.ts';
import type { Pieces } from '../../src/history/pieces.ts';
import { traceReader } from '../../src/history/trace.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Act, Decision } from '../../src/model/decision.ts';
import type { DecisionEntry, Thrown } from '../../src/model/entry.ts';
import type { Failure } from '../../src/model/failure.ts';
import { instanceName } from '../../src/model/instance.ts';
import { decide, decideInPieces, knownOf } from '../../src/recovery/decide.ts';
import { ALL_REPORTED, Effort } from '../../src/recovery/effort.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { traceOf } from '../../src/reports/trace.ts';

/** How many decisions were compared. */
export interface Compared {
  exactly: number;
  /** How many pieces they were made in besides the last one. */
  pieces: number;
  /** How many instances they set aside. */
  asides: number;
  /** Of those, how many were answered with a line, and how many with a refusal. */
  lines: number;
  refusals: number;
  /** Of the lines, how many by level, and how many came after a restore. */
  readonly levels: [number, number, number];
  later: number;
  /** The decisions in which the paper lets stand what the cut alone takes back. */
  onPaper: number;
}

/** Nothing compared so far. */
export function comparedNone(): Compared {
  return { exactly: 0, pieces: 0, asides: 0, lines: 0, refusals: 0, levels: [0, 0, 0], later: 0, onPaper: 0 };
}

const read = traceReader();

/** Compares every decision of a run. */
export function compareWithTrace(rows: Iterable<StoredRow>, config: BoundaryConfig, compared: Compared): void {
  let history = new History();
  let control = new TracedControl(history);
  let epoch = -1;
  for (const { text, decision: entry } of traceOf('r', rows)) {
    const line = read(text);
    if (line.do === 'trace') {
      history = new History();
      control = new TracedControl(history);
      epoch += 1;
      expect(line.id).toBe(epoch === 0 ? 'r' : `r#${epoch}`);
    } else if (line.do === 'knows') control.take(line.of);
    else if (line.do === 'event') {
      if (line.event.do === 'enter') control.enter(line.event.in, line.region);
      history.apply(line.event);
    } else compare(entry as DecisionEntry, history, control, line.failure, config, epoch, compared);
  }
}

function compare(
  { decision, key, thrown }: DecisionEntry,
  history: History,
  control: TracedControl,
  failure: Failure,
  config: BoundaryConfig,
  epoch: number,
  compared: Compared,
): void {
  const online = withoutWhomToAsk(decision);
  expect(failure.in).toEqual(online.failed);
  expect(failure.key?.text ?? null).toBe(key);
  if (online.refusals.some((refusal) => 'code' in refusal && refusal.code === 'effect_diverged')) return;
  const joint = config.skeletons.get(failure.in?.skeleton ?? '')?.rollback.joint ?? [];
  const rules = { policy: online.policy, joint };
  const around = knownOf(control, history, failure);
  const offline = decide(history, failure, rules, around);
  const inPieces = decideInPieces(history, failure, rules, { ...around, effort: new Effort(ALL_REPORTED, 1) });
  expect(oneAtATime(inPieces, compared, () => decide(history, failure, rules, around))).toEqual(offline);
  const told = withRetry(offline, online, thrown);
  // A trace has no machine to go through its past: what the paper lets stand the cut alone takes back (PA1).
  if (!isDeepStrictEqual(withoutNumbers(online), withoutNumbers(told))) {
    const moved = new Set(told.line?.moves.map(({ instance }) => instanceName(instance)));
    expect(online.line?.moves.filter(({ instance }) => !moved.has(instanceName(instance)))).toEqual([]);
    compared.onPaper += 1;
    return;
  }
  // Before the first restore even the numbers are the same.
  if (epoch === 0) expect(online).toEqual(told);
  compared.exactly += 1;
  compared.asides += online.aside?.length ?? 0;
  if (online.line === null) compared.refusals += 1;
  else {
    compared.lines += 1;
    compared.levels[online.line.level] += 1;
  }
  if (epoch > 0) compared.later += 1;
}

/** Does all pieces of a decision; between two of them others have their turn, who ask as well. */
function oneAtATime(pieces: Pieces<Decision>, compared: Compared, others: () => unknown): Decision {
  for (;;) {
    const piece = pieces.next();
    if (piece.done === true) return piece.value;
    compared.pieces += 1;
    others();
  }
}

/** A trace has no config, so it cannot say whom to ask. */
function withoutWhomToAsk(decision: Decision): Decision {
  if (!('unblock' in decision)) return decision;
  const acts = decision.unblock.acts.map((act): Act => {
    return act.act === 'settle_outcome' ? { act: act.act, effect: act.effect } : act;
  });
  return { ...decision, unblock: { ...decision.unblock, acts } };
}

/** A trace does not tell that a step threw: only then the run advises its fix in place of an act by hand (TH1). */
function withRetry(offline: Decision, online: Decision, thrown: Thrown | undefined): Decision {
  if (!('unblock' in online) || online.unblock.leadsTo !== 'retry') return offline;
  expect([thrown === undefined, online.verdict]).toEqual([false, 'escalate']);
  expect(online.unblock.acts.map(({ act }) => act)).toEqual([
    thrown?.limit === undefined ? 'fix_and_retry' : 'raise_limit',
  ]);
  return 'unblock' in offline ? { ...offline, unblock: online.unblock } : offline;
}

/** A decision without the numbers of its events, which a restore leaves gaps in. */
function withoutNumbers(decision: Decision): unknown {
  const { verdict, failed, policy, undo, line } = decision;
  return strip({
    verdict,
    failed,
    policy,
    undo,
    aside: decision.aside ?? [],
    dropped: decision.dropped ?? [],
    vetoes: [...vetoes(decision)],
    level: line?.level ?? null,
    moves: line?.moves ?? [],
    unblock: 'unblock' in decision ? decision.unblock : null,
  });
}

const NUMBERS = new Set(['at', 'step', 'write']);

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      NUMBERS.has(name) && typeof inner === 'number' ? [] : [[name, strip(inner)]],
    ),
  );
}
