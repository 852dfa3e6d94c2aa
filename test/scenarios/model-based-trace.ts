/**
 * Holds the decisions of a run against those of `belay decide` on its exported trace: the same but for numbering, for calls that
 * were settled, and for what a trace does not know, which is control (R2) and which checkpoints cannot be used now.
 */
import { expect } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { History } from '../../src/history/history.ts';
import { traceReader } from '../../src/history/trace.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Act, Decision } from '../../src/model/decision.ts';
import type { DecisionEntry } from '../../src/model/entry.ts';
import type { Failure } from '../../src/model/failure.ts';
import { instanceName } from '../../src/model/instance.ts';
import { decide } from '../../src/recovery/decide.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { traceOf } from '../../src/sidecar/trace.ts';

/** What a trace cannot know of. */
const UNKNOWN_TO_A_TRACE = new Set([
  'replay_escapes_instance',
  'recovery_budget_spent',
  'checkpoint_stale',
  'no_stable_checkpoint',
]);

/** How many decisions were compared in full, and in what a trace knows of them. */
export interface Compared {
  exactly: number;
  partly: number;
  /** Of those in full, how many were answered with a line, and how many with a refusal. */
  lines: number;
  refusals: number;
  /** Of the lines, how many by level, and how many came after a restore. */
  readonly levels: [number, number, number];
  later: number;
}

/** Nothing compared so far. */
export function comparedNone(): Compared {
  return { exactly: 0, partly: 0, lines: 0, refusals: 0, levels: [0, 0, 0], later: 0 };
}

const read = traceReader();

/** Compares every decision of a run. */
export function compareWithTrace(rows: Iterable<StoredRow>, config: BoundaryConfig, compared: Compared): void {
  let history = new History();
  let epoch = -1;
  for (const { text, decision: entry } of traceOf('r', rows)) {
    const line = read(text);
    if (line.do === 'trace') {
      history = new History();
      epoch += 1;
      expect(line.id).toBe(epoch === 0 ? 'r' : `r#${epoch}`);
    } else if (line.do === 'event') history.apply(line.event);
    else compare(entry as DecisionEntry, history, line.failure, config, epoch, compared);
  }
}

function compare(
  { decision, key }: DecisionEntry,
  history: History,
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
  const offline = decide(history, failure, { policy: online.policy, joint });
  const control = online.line?.moves.some(({ cause }) => cause?.kind === 'control') ?? false;
  const unknown = online.refusals.some((refusal) => 'code' in refusal && UNKNOWN_TO_A_TRACE.has(refusal.code));
  if (!control && !unknown) {
    // Before the first restore even the numbers are the same.
    if (epoch === 0) expect(online).toEqual(offline);
    expect(withoutNumbers(online)).toEqual(withoutNumbers(offline));
    compared.exactly += 1;
    if (online.line === null) compared.refusals += 1;
    else {
      compared.lines += 1;
      compared.levels[online.line.level] += 1;
    }
    if (epoch > 0) compared.later += 1;
    return;
  }
  compared.partly += 1;
  // Control only ever asks for more: whoever the trace moves is moved, and nothing that it forbids is done.
  if (online.verdict === 'restore' || online.verdict === 'restore_joint') {
    expect(['restore', 'restore_joint']).toContain(offline.verdict);
    const moved = new Set(online.line.moves.map(({ instance }) => instanceName(instance)));
    for (const { instance } of offline.line?.moves ?? []) expect(moved).toContain(instanceName(instance));
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

/** A decision without the numbers of its events, which a restore leaves gaps in. */
function withoutNumbers(decision: Decision): unknown {
  const { verdict, failed, policy, undo, line } = decision;
  return strip({
    verdict,
    failed,
    policy,
    undo,
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
