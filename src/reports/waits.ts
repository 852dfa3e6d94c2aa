/**
 * The things that a run waits for, and since when: the same for a list that reads notes alone as for a page about one run. It is a function of what the
 * journal says, and of whether a living process holds the run.
 */

import type { GateEntry } from '../model/call-entries.ts';
import type { Act, Decision } from '../model/decision.ts';
import type { DecisionEntry } from '../model/entry.ts';
import type { RunState } from '../projection/run-state.ts';
import { quoted } from '../recovery/explain.ts';

/** The party that a run waits for. `worker`: any process that takes the run up. `commit`: a commit that was refused. */
const WAIT_KINDS = [
  ...(['person', 'worker', 'counterparty', 'program', 'commit'] as const),
  ...(['call', 'timer', 'event'] as const),
] as const;
type WaitKind = (typeof WAIT_KINDS)[number];

/** One thing that a run waits for. Its texts name tools and no values. */
export interface Wait {
  readonly kind: WaitKind;
  readonly text: string;
  /** The wall clock at which the wait began, in milliseconds; null if unknown. */
  readonly since: number | null;
  /** The code of the question: that of the reason why a decision waits, or what is asked. */
  readonly code: string;
  /** The verb of `belay` that changes it; null where no person has to act. */
  readonly act: string | null;
  /** The wall clock at which an approval request expires, in milliseconds; left out where nothing does. */
  readonly until?: number;
}

/** An approval request, or a question about an outcome, that no one has answered. */
export interface AskedWait {
  readonly key: string;
  readonly asks: GateEntry['asks'];
  readonly tool: string | null;
  readonly since: number;
  /** Left out where the request does not expire. */
  readonly until?: number;
}

/** The question of a decision that waits, in the words of its acts. */
export interface QuestionWait {
  readonly since: number;
  readonly code: string;
  readonly acts: readonly {
    readonly act: Act['act'];
    readonly tool: string | null;
    /** The call that the act is about, and the reconciler that knows of it. */
    readonly key?: string;
    readonly reconciler?: string;
  }[];
  /** True where the commit of an instance was refused. */
  readonly commit: boolean;
}

/** The question that a decision comes to. */
export function questionWait({ decision, signal, commit }: DecisionEntry, since: number): QuestionWait {
  const acts = 'unblock' in decision ? decision.unblock.acts : [];
  return { since, code: codeOf(decision, signal), acts: acts.map(shortAct), commit: commit != null };
}

/** The question without what it asks about one call, whose outcome is known now; null where it asks nothing else. */
export function withoutOutcome(wait: QuestionWait, key: string): QuestionWait | null {
  const acts = wait.acts.filter((act) => act.act !== 'settle_outcome' || act.key !== key);
  if (acts.length === wait.acts.length) return wait;
  return acts.length === 0 ? null : { ...wait, acts };
}

function codeOf({ refusals }: Decision, signal: string): string {
  const [first] = refusals;
  if (first === undefined) return signal;
  return 'code' in first ? first.code : (first.adds[0]?.code ?? signal);
}

function shortAct(act: Act): QuestionWait['acts'][number] {
  const tool = 'tool' in act ? act.tool : 'effect' in act ? (act.effect.tool ?? null) : null;
  const key = 'effect' in act && act.effect.id !== null ? { key: act.effect.id } : {};
  const asks = act.act === 'settle_outcome' ? (act.ask?.reconciler ?? null) : null;
  return { act: act.act, tool, ...key, ...(asks !== null && { reconciler: asks }) };
}

/** The verb that carries an act out, and the thing that is waited for, in words. */
const ACTS: Readonly<Record<Act['act'], (tool: string) => readonly [text: string, verb: string]>> = {
  settle_outcome: (tool) => [`what became of ${tool}`, 'settle'],
  undo_by_hand: (tool) => [`${tool} undone by hand`, 'settle'],
  register_undo: (tool) => [`an undo of ${tool}`, 'settle'],
  register_codec: (tool) => [`plain data for ${tool}`, 'resume'],
  look_again: (tool) => [`a word about what ${tool} answered`, 'fail'],
  start_sandbox: () => ['a sandbox that starts', 'resume'],
  fix_and_retry: () => ['a fix of the code', 'retry'],
  raise_limit: () => ['a higher limit', 'retry'],
  change_graph: () => ['a graph built in another way', 'resume'],
  correct_in_turn: () => ['a new turn that corrects it', 'show'],
  cancel_run: () => ['an end of the run: a choice stands', 'cancel'],
  give_mandate: (tool) => [`another mandate, for ${tool}`, 'mandate'],
  settle_obligation: (tool) => [`what is owed by ${tool}`, 'settle'],
  name_suspect: () => ['the name of what failed', 'fail'],
  allow_joint: () => ['a policy that lets it go back', 'cancel'],
  allow_exit: () => ['a policy that has its exit restored', 'resume'],
  end_instances: () => ['other work that has to end', 'cancel'],
};

/** The facts of a run that its waits depend on, as a note has them. */
export interface WaitFacts {
  readonly is: string;
  readonly verdict: string | null;
  readonly since: number | null;
  /** The tool whose undo has failed. */
  readonly tool: string | null;
  readonly questions: readonly QuestionWait[];
  readonly asked: readonly AskedWait[];
  /** The tool that waits for another mandate, and since when; left out or null where none does. */
  readonly mandate?: { readonly tool: string; readonly since: number } | null;
  /** The calls whose counterparties are asked again by themselves, by their keys. */
  readonly again: ReadonlyMap<string, number>;
}

/** The waits that the journal of a run tells of: those of people, counterparties and commits. */
export function journaledWaits({ is, verdict, since, tool, questions, asked, again, mandate }: WaitFacts): Wait[] {
  switch (is) {
    case 'done':
    case 'cancelled':
    case 'compensated':
      return [];
    case 'paused':
      return [{ kind: 'person', text: 'a person who says unpause', since, code: 'paused', act: 'unpause' }];
    case 'stuck':
      return [{ kind: 'person', text: `an undo of ${toolText(tool)}`, since, code: 'undo_failed', act: 'settle' }];
    case 'recovering':
      return [{ kind: 'program', text: 'its recovery to be finished', since, code: 'recovering', act: 'resume' }];
    default: {
      const told = questions.toReversed().flatMap((question) => questionWaits(question, again));
      const about = new Set(questions.flatMap(({ acts }) => acts.flatMap(({ key = '' }) => key)));
      const requests = asked
        .filter(({ key }) => !about.has(key))
        .map(({ asks, tool, since, until }): Wait => {
          const ends = until === undefined ? {} : { until };
          return { kind: 'person', ...requestOf(asks, toolText(tool)), since, ...ends };
        });
      if (mandate != null) told.push(mandateWait(mandate));
      if (is !== 'parked' || told.length > 0) return unique([...told, ...requests]);
      const rerun = verdict === 'rerun';
      const [text, act] = rerun ? ['a rerun', 'resume'] : ['a person', 'cancel'];
      return [{ kind: 'person', text, since, code: questions.at(-1)?.code ?? verdict ?? is, act }, ...requests];
    }
  }
}

function requestOf(asks: AskedWait['asks'], tool: string): Pick<Wait, 'text' | 'code' | 'act'> {
  switch (asks) {
    case 'approval':
      return { text: `approval of ${tool}`, code: 'approval', act: 'approve' };
    case 'branch':
      return { text: `a branch of ${tool}`, code: 'branch', act: 'approve' };
    case 'review':
      return { text: `a review of what ${tool} has judged`, code: 'review', act: 'approve' };
    case 'outcome':
      return { text: `what became of ${tool}`, code: 'outcome', act: 'settle' };
  }
}

function mandateWait({ tool, since }: NonNullable<WaitFacts['mandate']>): Wait {
  const [text, act] = ACTS.give_mandate(toolText(tool));
  return { kind: 'person', text, since, code: 'mandate_over', act };
}

function questionWaits({ acts, since, code, commit }: QuestionWait, again: WaitFacts['again']): Wait[] {
  return acts.map(({ act, tool, key = '', reconciler }): Wait => {
    const [text, verb] = ACTS[act](toolText(tool));
    if (act === 'settle_outcome' && reconciler !== undefined && again.has(key))
      return { kind: 'counterparty', text: `${quoted(reconciler)} to tell ${text}`, since, code, act: verb };
    return { kind: commit ? 'commit' : 'person', text, since, code, act: verb };
  });
}

function toolText(tool: string | null): string {
  return tool === null ? 'a call' : quoted(tool);
}

function unique(waits: readonly Wait[]): Wait[] {
  return [...new Map(waits.map((wait) => [`${wait.kind} ${wait.text} ${wait.code}`, wait])).values()];
}

/** The state of a run beside its journal. */
export interface WaitsAt {
  /** True where a living process holds the run. */
  readonly held: boolean;
  /** The wall clock of its last row; null where it has none. */
  readonly last: number | null;
  /** The whole state of the run, where it was read: a call, a timer or an event is named then. */
  readonly runState?: RunState;
}

/**
 * The waits of a run, the one that a person has to act on first in front.
 * @param waits those that its journal tells of.
 */
export function waitsOf(is: string, waits: readonly Wait[], { held, last, runState }: WaitsAt): readonly Wait[] {
  if (is === 'done' || is === 'cancelled' || is === 'compensated') return [];
  // No process takes a paused run, whoever holds it or not.
  if (is === 'paused') return waits;
  if (!held) {
    const taken: Wait = {
      kind: 'worker',
      text: 'a process to take it up',
      since: last,
      code: 'not_held',
      act: 'resume',
    };
    return [...waits, taken];
  }
  return waits.length > 0 || runState === undefined ? waits : movingWaits(runState, last);
}

/** The waits of a run that a process holds and in which nothing is in question: a call, a timer, an event. */
function movingWaits({ ledger, timers, actors }: RunState, last: number | null): Wait[] {
  const called = actors.filter(({ started, ended, parent }) => parent !== null && started !== null && ended === null);
  const open = new Set([...ledger.open().map(({ intent }) => intent.tool), ...called.map((each) => each.started?.src)]);
  const calls = [...open].map((tool): Wait => {
    return { kind: 'call', text: `the answer of ${toolText(tool ?? null)}`, since: last, code: 'call', act: null };
  });
  const armed = timers.armed().map((timer): Wait => {
    const at = new Date(timer.due).toISOString().slice(0, 19);
    return { kind: 'timer', text: `${at}Z`, since: timer.due - timer.delay, code: 'timer', act: null };
  });
  if (calls.length + armed.length > 0) return [...calls, ...armed];
  return [{ kind: 'event', text: 'an event', since: last, code: 'event', act: 'send' }];
}

/** True for a wait that a person has to end. */
export function isForPerson({ kind }: Wait): boolean {
  return kind === 'person' || kind === 'commit';
}

/** True where a person has to act before anything goes on. */
export function needsPerson(waits: readonly Wait[]): boolean {
  return waits.some(isForPerson);
}

/** The beginning of the longest wait for a person; of any other wait where no person has to act; null where there is none. */
export function waitingSince(waits: readonly Wait[]): number | null {
  const isNeeding = needsPerson(waits);
  const [first, ...rest] = waits.filter((wait) => !isNeeding || isForPerson(wait));
  if (first === undefined) return null;
  return rest.reduce((least, { since }) => (since === null ? least : Math.min(least ?? since, since)), first.since);
}

/** The waits of a run in a few words, those of people alone where a person has to act; empty where there is none. */
export function waitsText(waits: readonly Wait[]): string {
  const told = needsPerson(waits) ? waits.filter(isForPerson) : waits;
  return told.map(({ text }) => text).join(', ');
}

/** The earliest expiry of the approval requests; null where no request expires. */
export function firstExpiry(waits: readonly Wait[]): number | null {
  const ends = waits.flatMap(({ until }) => until ?? []);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Orders runs: those that need a person first, the longest wait first; others stay in their order. */
export function byWait<T extends { readonly waits: readonly Wait[] }>(runs: readonly T[]): T[] {
  const at = (run: T) => waitingSince(run.waits) ?? 0;
  const needing = runs.filter(({ waits }) => needsPerson(waits)).sort((a, b) => at(a) - at(b));
  return [...needing, ...runs.filter(({ waits }) => !needsPerson(waits))];
}

/** The waits of a note; null where they are none. */
export function parsedWaits(value: unknown): readonly Wait[] | null {
  return Array.isArray(value) && value.every(isWait) ? value : null;
}

function isWait(value: unknown): value is Wait {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, text, since, code, act, until = null } = value as Readonly<Record<string, unknown>>;
  const isKnown = (WAIT_KINDS as readonly unknown[]).includes(kind);
  const texts = typeof text === 'string' && typeof code === 'string' && (act === null || typeof act === 'string');
  const isTime = (time: unknown): boolean => time === null || Number.isSafeInteger(time);
  return isKnown && texts && isTime(since) && isTime(until);
}
