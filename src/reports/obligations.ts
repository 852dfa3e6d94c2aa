/**
 * What a run owes, as its journal and its present past have it: a projection, so that what keeps an obligation keeps it
 * no longer once it is undone (semantics.md OB2 to OB5). Pure.
 */
import { listedIn } from '../boundaries/obligations.ts';
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { InstanceId } from '../model/instance.ts';
import { compilePredicate } from '../predicates/compile.ts';
import { KEPT_SCOPE, RELEASED_SCOPE, type Scope } from '../predicates/lint.ts';
import type { Facts, Predicate } from '../predicates/predicate.ts';
import { nameOf, type OwedCounts } from '../projection/obligations.ts';
import type { RunState } from '../projection/run-state.ts';

/** The state of an obligation. `unsaid`: the call that takes it on has not left; `void`: it did not happen, or was undone. */
type ObligationState = 'unsaid' | 'owed' | 'kept' | 'released' | 'broken' | 'void';

/** One obligation. */
export interface OwedAct {
  /** The key of the call that took it on, and its number: `KEY#1`. */
  readonly name: string;
  readonly key: string;
  /** The tool of that call, and the work that made it. */
  readonly tool: string;
  readonly instance: InstanceId;
  readonly keptBy: string;
  /** What it says, without what the config redacts. */
  readonly says: unknown;
  /** The wall clock of its due time; null for none. */
  readonly due: number | null;
  /** The wall clock of the intent of its call. */
  readonly since: number;
  readonly is: ObligationState;
  /** The key of the call that keeps it, or the person who has answered for it; null for neither. */
  readonly by: string | null;
  readonly why: string | null;
  /** True once the run has found that it was owed when it was due. */
  readonly overdue: boolean;
  /** Why no call that keeps it may leave; null where one may, and where nothing is owed. */
  readonly unkept: string | null;
}

interface Open {
  readonly act: OwedAct;
  readonly order: number;
  readonly as: Predicate | null;
  /** What it says, as the call was told. */
  readonly says: unknown;
}

/** Every obligation of a run, in the order of the calls that took them on. */
export function obligationsIn(runState: RunState): readonly OwedAct[] {
  if (runState.obligations.isEmpty) return [];
  const compiled = new Map<string, Predicate | null>();
  const acts: OwedAct[] = [];
  const open: Open[] = [];
  for (const { entry, order, since } of runState.obligations.taken) {
    const call = runState.ledger.get(entry.key);
    if (call === undefined) continue;
    const said = listedIn(entry.each, argsOf(runState, call)) ?? [];
    const shown = listedIn(entry.each, runState.redaction.args(call.tool, argsOf(runState, call))) ?? [];
    const as = entry.as === undefined ? null : conditionOf(entry.as, KEPT_SCOPE, compiled);
    const until = entry.until === undefined ? null : conditionOf(entry.until, RELEASED_SCOPE, compiled);
    for (const [index, due] of entry.due.entries()) {
      const name = nameOf(entry.key, index);
      const { instance } = call.intent;
      const of = { name, key: entry.key, tool: call.tool, instance, keptBy: entry.keptBy };
      const act = {
        ...of,
        says: shown[index] ?? null,
        due,
        since,
        ...stateOf(runState, call, name, until, said[index]),
      };
      if (act.is === 'owed') open.push({ act, order, as, says: said[index] });
      acts.push(act);
    }
  }
  const keepers = kept(runState, open);
  return acts.map((act) => {
    const by = keepers.get(act.name);
    return by === undefined ? act : { ...act, is: 'kept', by, overdue: act.overdue, unkept: null };
  });
}

/** The obligations that a run owes. */
export function owedActs(runState: RunState): readonly OwedAct[] {
  return obligationsIn(runState).filter(({ is }) => is === 'owed');
}

/** The obligations that are not kept: a person has said so, or the run has ended with them. */
export function brokenActs(runState: RunState): readonly OwedAct[] {
  return obligationsIn(runState).filter(({ is }) => is === 'broken' || (runState.ended !== null && is === 'owed'));
}

/** How many obligations a run has that are open, that are open and overdue, and that are broken; null where no call has taken any on. */
export function owedCounts(runState: RunState): OwedCounts | null {
  const { obligations, ended } = runState;
  if (obligations.isEmpty) return null;
  const acts = obligationsIn(runState);
  const owed = acts.filter(({ is }) => is === 'owed');
  const broken = acts.filter(({ is }) => is === 'broken').length;
  if (ended !== null) return { open: 0, overdue: 0, broken: broken + owed.length };
  return { open: owed.length, overdue: owed.filter(({ overdue }) => overdue).length, broken };
}

/** The arguments as journaled; for a call of an older journal, the input of its actor. */
function argsOf(runState: RunState, { intent: { args, actor } }: LedgerCall): unknown {
  return args === undefined ? runState.actor(actor).started?.input : args;
}

/** What a call, a person and the context say of an obligation; a call that keeps it is looked for behind that. */
function stateOf(
  { obligations, actors, redaction }: RunState,
  call: LedgerCall,
  name: string,
  until: Predicate | null,
  says: unknown,
): Pick<OwedAct, 'is' | 'by' | 'why' | 'overdue' | 'unkept'> {
  const overdue = obligations.isOverdue(name);
  const none = { by: null, why: null, overdue, unkept: null };
  // A repetition of an earlier act says nothing itself.
  if (call.status === 'failed' || call.status === 'compensated' || call.repeats !== null)
    return { is: 'void', ...none };
  const answer = obligations.answer(name);
  if (answer !== undefined) {
    const why = answer.why === null ? null : redaction.text(answer.why);
    return { is: answer.as, by: answer.by, why, overdue, unkept: null };
  }
  if (call.status === 'buffered') return { is: 'unsaid', ...none };
  const facts = { ...NO_FACTS, obligation: says, memory: actors[0]?.context };
  if (until !== null && until.ask(facts).is === 'yes') return { is: 'released', ...none, why: until.text };
  return { is: 'owed', ...none, unkept: obligations.unkept(name) ?? null };
}

const NO_FACTS: Facts = { state: '', action: '', args: null, entity: null, memory: null, event: null };

/** A condition of the journal; one that does not compile any more holds for nothing. */
function conditionOf(text: string, scope: Scope, compiled: Map<string, Predicate | null>): Predicate {
  const known = compiled.get(text);
  if (known != null) return known;
  const read = compilePredicate(text, scope);
  const predicate = 'ok' in read ? read.ok : { text, ask: () => ({ is: 'unknown', reason: 'not_compiled' }) as const };
  compiled.set(text, predicate);
  return predicate;
}

/**
 * The calls that keep obligations: one call one obligation, the earliest due first. A call that another obligation has is
 * passed on where that one finds another: no obligation is owed that a call could keep.
 * @returns the key of the keeping call by the name of the obligation.
 */
function kept(runState: RunState, open: readonly Open[]): ReadonlyMap<string, string> {
  const by = new Map<string, string>();
  if (open.length === 0) return by;
  const calls = keeping(runState, new Set(open.map(({ act }) => act.keptBy)));
  const holders = new Map<string, Open>();
  const fits = (one: Open, call: LedgerCall) => isKept(runState, one, call);
  const find = (one: Open, seen: Set<string>): boolean => {
    const possible = (calls.get(one.act.keptBy) ?? []).filter(({ key }) => !seen.has(key));
    const free = possible.find((call) => !holders.has(call.key) && fits(one, call));
    const taken = free === undefined ? possible.filter((call) => holders.has(call.key) && fits(one, call)) : [];
    for (const { key } of free === undefined ? taken : [free]) {
      if (seen.has(key)) continue;
      seen.add(key);
      const holder = holders.get(key);
      if (holder !== undefined && !find(holder, seen)) continue;
      holders.set(key, one);
      by.set(one.act.name, key);
      return true;
    }
    return false;
  };
  const soonest = [...open].sort((a, b) => (a.act.due ?? Infinity) - (b.act.due ?? Infinity) || a.order - b.order);
  for (const one of soonest) find(one, new Set());
  return by;
}

/** The calls of some tools that stand, by the tool: an undo that has begun may have taken one back already. */
function keeping({ ledger }: RunState, tools: ReadonlySet<string>): ReadonlyMap<string, readonly LedgerCall[]> {
  const calls = new Map<string, LedgerCall[]>();
  for (const call of ledger.all())
    if (tools.has(call.tool) && call.status === 'confirmed' && !call.undoing && call.repeats === null) {
      const those = calls.get(call.tool) ?? [];
      calls.set(call.tool, those);
      those.push(call);
    }
  return calls;
}

/** True where a call keeps an obligation: it was made behind the call that took the obligation on, and `as` holds. */
function isKept(runState: RunState, { order, as, says }: Open, call: LedgerCall): boolean {
  if (runState.obligations.orderOf(call.key) <= order) return false;
  if (as === null) return true;
  const keptBy = { args: argsOf(runState, call), output: call.output };
  return as.ask({ ...NO_FACTS, obligation: says, kept: keptBy }).is === 'yes';
}
