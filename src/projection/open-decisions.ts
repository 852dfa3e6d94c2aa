/**
 * The decisions of a run: the decision under way, the decisions that wait for a person, and the recoveries' spending.
 */
import type { Places } from '../history/places.ts';
import type { Decision } from '../model/decision.ts';
import type { DecisionEntry, Entry, Thrown } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { Pending, RecordedStep } from './state-types.ts';
import { boundaryAt } from './step-numbers.ts';

/** The decisions of one run. */
export class OpenDecisions {
  /**
   * The decisions that the run waits on, by the failing work: each stands until the sidecar decides about that work
   * anew, or the work is undone.
   */
  readonly open = new Map<string, DecisionEntry>();
  pending: Pending | null = null;
  /** The number of recoveries that were decided. */
  recoveries = 0;
  /** The number of times that each budget was charged (R6). */
  readonly spent = new Map<string, number>();
  /** The count of restores of each instance, by its name. */
  readonly epochs = new Map<string, number>();
  /** The budgets that were charged for throws of this version of the code, by what the step had met (TH4, TH8). */
  readonly thrown = new Map<string, string | null>();
  /** Forgets the restore that is under way: the run is aborted. What it is parked on is retracted by an entry of its own. */
  abort(): void {
    if (this.pending !== null && ![...this.open.values()].includes(this.pending.entry)) this.#next();
  }

  /** The versions of the code whose throws the run was parked on, by the question: no process tries one of them again by itself (TH2). */
  readonly threw = new Map<string, Set<string>>();
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** The instance on whose account the pending decision was made. */
  get account(): InstanceId | null {
    return this.pending?.entry.decision.failed ?? null;
  }

  /** Takes a decision. */
  decide(entry: DecisionEntry): void {
    const { decision, thrown } = entry;
    this.pending = { entry, phase: 'DECIDED', stuck: new Map() };
    const question = questionOf({ ...entry, failed: decision.failed });
    this.open.delete(question);
    if (decision.verdict === 'escalate' || decision.verdict === 'rerun') {
      this.open.set(question, entry);
      if (thrown?.version !== undefined) this.threw.set(question, this.threwUnder(question).add(thrown.version));
      return;
    }
    // An act on an event is no failure: no try is charged for it.
    if (entry.steers === undefined) this.recoveries += 1;
    const key = this.#budgetOf(entry);
    if (key !== null) this.spent.set(key, (this.spent.get(key) ?? 0) + 1);
    if (thrown !== undefined) this.thrown.set(thrown.on, key);
    for (const { instance } of decision.line?.moves ?? []) this.raiseEpoch(instanceName(instance));
  }

  #budgetOf({ decision: { failed }, checkpoint, signal, steers }: DecisionEntry): string | null {
    if (failed === null || steers !== undefined) return null;
    const boundary = checkpoint === null ? 'call' : boundaryAt(this.#places, failed, checkpoint.at);
    return budgetKey(failed, boundary, signal);
  }

  /** Takes a phase of carrying a decision out. */
  phase({ phase, effect = '', error = '' }: Extract<Entry, { do: 'phase' }>): void {
    if (phase === 'RESUMED') this.#next();
    const { pending } = this;
    if (pending === null) return;
    if (phase === 'FENCED') {
      pending.phase = 'FENCED';
      // A rerun moves everybody (K3).
      if (pending.entry.decision.verdict === 'rerun')
        for (const { id } of this.#places.all()) this.raiseEpoch(instanceName(id));
    }
    if (phase === 'STUCK') pending.stuck.set(effect, error);
    else pending.stuck.delete(effect);
  }

  /** Notes that control stands where the pending decision has it. */
  restored(): void {
    if (this.pending !== null) this.pending.phase = 'RESTORED';
  }

  /** Forgets the questions that something answers. */
  answer(isAnswered: (entry: DecisionEntry) => boolean): void {
    for (const [question, entry] of this.open) if (isAnswered(entry)) this.open.delete(question);
  }

  /** Forgets the questions of complaints that another one takes the place of (C12). */
  retract(questions: readonly string[]): void {
    const { pending } = this;
    const isRetracted =
      pending !== null && questions.includes(questionOf({ ...pending.entry, failed: pending.entry.decision.failed }));
    for (const question of questions) this.open.delete(question);
    if (isRetracted) this.#next();
  }

  /** The versions of the code whose throws the run was parked on by a question. */
  threwUnder(question: string): Set<string> {
    return this.threw.get(question) ?? new Set();
  }

  /** The steps that threw of some questions. */
  thrownIn(questions: readonly string[]): Thrown[] {
    return questions.flatMap((question) => this.open.get(question)?.thrown ?? []);
  }

  /** Gives back the tries that the code's throws have spent: the code is another one (TH8). */
  giveBack(): void {
    for (const key of this.thrown.values()) {
      this.recoveries -= 1;
      if (key !== null) this.spent.set(key, (this.spent.get(key) ?? 1) - 1);
    }
    this.thrown.clear();
  }

  /** Forgets what was asked about a commit: it was refused before and is made now, or it is over. */
  committed(id: string): void {
    this.answer(({ commit }) => commit === id);
    if (this.pending?.entry.commit === id) this.#next();
  }

  /** The program takes a step: a graph that was refused as it was built is another one (TH9). */
  wentOn(): void {
    if (this.open.size === 0) return;
    this.answer(isOfGraph);
    if (this.pending?.phase === 'DECIDED' && isOfGraph(this.pending.entry)) this.#next();
  }

  /** Has the newest decision that is open be the pending one. */
  #next(): void {
    const entry = [...this.open.values()].at(-1);
    this.pending = entry === undefined ? null : { entry, phase: 'DECIDED', stuck: new Map() };
  }

  /** Notes that the work of an instance, by its name, was taken back. */
  raiseEpoch(name: string): void {
    this.epochs.set(name, (this.epochs.get(name) ?? 0) + 1);
  }
}

function isOfGraph({ decision }: DecisionEntry): boolean {
  return decision.refusals.some((veto) => 'code' in veto && veto.code === 'graph_refused');
}

/** Names a question that a run is parked on: what failed, by which key, in which call. One that fits no instance is named by the instance that was meant. */
export function questionOf({
  failed,
  key,
  call,
  complaint,
}: Pick<DecisionEntry, 'key' | 'call' | 'complaint'> & Pick<Decision, 'failed'>): string {
  if (failed !== null) return JSON.stringify([instanceName(failed), key, call]);
  return JSON.stringify([null, key, call, ...(complaint === undefined ? [] : [complaint.skeleton, complaint.entity])]);
}

/** Names the budget that a recovery is charged to (R6). */
export function budgetKey(id: InstanceId, boundary: string, signal: string): string {
  return JSON.stringify([id.skeleton, id.entity, boundary, signal]);
}
