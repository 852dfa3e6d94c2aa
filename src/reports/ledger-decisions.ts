/**
 * The ledger of decisions: why a run acted, in the order of its journal. It has the calls and the data they relied on,
 * the words of people, the refusals, the answers to failures, and the effects that each commit made visible.
 */
import type { StoredRow } from '../journal/journal.ts';
import type { AnswerEntry, IntentEntry, OutcomeEntry, PublishEntry, VerifiedEntry } from '../model/call-entries.ts';
import { CHOICE_EVENTS } from '../model/choice-entries.ts';
import type { CommittedEntry } from '../model/commit-entries.ts';
import type { DecisionEntry, Entry } from '../model/entry.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import { answeringChild, eventType } from '../model/reply-event.ts';
import type { StepEntry } from '../model/step-entry.ts';
import { madeVisible, standingAt } from '../projection/made-visible.ts';
import { isOfCall } from '../projection/relied-reads.ts';
import type { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';
import { vetoes } from '../recovery/vetoes.ts';
import type { BecauseOf, LedgerDecision, Said } from './ledger-decision.ts';
import { shownArgs } from './ledger-effects.ts';

/**
 * Collects the ledger beside a fold: the subject of an entry is looked up in the fold before the entry, or after it.
 */
export class Reasons {
  readonly all: LedgerDecision[] = [];
  readonly #runState: RunState;
  /**
   * The reads of the step that started an actor, by the number of the actor. Only the intent tells whose call the actor
   * makes.
   */
  readonly #reads = new Map<number, readonly { readonly by: string; readonly key: Key }[]>();
  /** The last writer of each key, the newest at the end; null after a restore, until it is looked up again. */
  #written: Map<string, { readonly key: Key; readonly by: InstanceId }> | null = new Map();
  #recoveries = 0;
  /** The decisions that calls rest on, by the numbers of their actors, from the first decision of the run on. */
  readonly #because = new Map<number, BecauseOf>();
  /** The rows of the answers of tools that decide, by the numbers of their actors. */
  readonly #decided = new Map<number, number>();
  /** The events of the commits, by the rows of their lines. */
  readonly #commits = new Map<number, Pick<CommittedEntry, 'instance' | 'at'>>();

  constructor(runState: RunState) {
    this.#runState = runState;
  }

  /** Takes an entry that the fold does not have yet. */
  before(entry: Entry, row: StoredRow): void {
    if (entry.do === 'answer') this.#add(row, this.#answer(entry));
    if (entry.do === 'outcome') this.#outcome(entry, row);
  }

  /** Takes an entry that the fold has. */
  after(entry: Entry, row: StoredRow): void {
    switch (entry.do) {
      case 'step':
        this.#step(entry);
        return;
      case 'restored':
        this.#written = null;
        return;
      case 'intent':
        if (this.#runState.ledger.get(entry.key)?.decides) this.#decided.set(entry.actor, row.seq);
        this.#add(row, this.#call(entry));
        return;
      case 'verified':
        this.#looked(entry, row);
        return;
      case 'decision':
        this.#decision(entry, row);
        return;
      case 'committed':
        this.#committed(entry, row);
        return;
      case 'publish':
        this.#published(entry, row);
        return;
      default:
        return;
    }
  }

  /** The ledger as the past stands now. It marks commits that were taken back since. */
  lines(): readonly LedgerDecision[] {
    return this.all.map((line) => {
      const commit = line.is === 'commit' ? this.#commits.get(line.seq) : undefined;
      return commit === undefined ? line : { ...line, undone: standingAt(this.#runState, commit) === null };
    });
  }

  #committed({ id, instance, boundary, at, text }: CommittedEntry, row: StoredRow): void {
    const { calls, things } = madeVisible(this.#runState, instance, at);
    const seen = calls.filter(({ status }) => status !== 'buffered').map(({ key }) => key);
    const said = { invariants: [], keys: seen, message: text ?? null, things, undone: false };
    this.#add(row, { is: 'commit', id, instance, boundary, ...said });
    this.#commits.set(row.seq, { instance, at });
  }

  /** A commit with held calls has one line, in the row that made the calls visible. */
  #published({ id, instance, boundary, at, invariants, keys }: PublishEntry, row: StoredRow): void {
    const name = instanceName(instance);
    const nth = this.all.findLastIndex(({ is, seq }) => {
      const commit = is === 'commit' ? this.#commits.get(seq) : undefined;
      return commit?.at === at && instanceName(commit.instance) === name;
    });
    const [line] = nth < 0 ? [] : this.all.splice(nth, 1);
    const { message, things, keys: seen } = line?.is === 'commit' ? line : { message: null, things: [], keys: [] };
    const all = [...new Set([...seen, ...keys])];
    this.#add(row, { is: 'commit', id, instance, boundary, invariants, keys: all, message, things, undone: false });
    if (boundary !== CHOICE_EVENTS.chosen) this.#commits.set(row.seq, { instance, at });
  }

  #add<T extends LedgerDecision['is']>({ seq, time }: StoredRow, said: { readonly is: T } & Said<T>): void {
    this.all.push({ seq, time, ...said } as unknown as LedgerDecision);
  }

  #step({ started, marks }: StepEntry): void {
    for (const mark of marks) if (mark.do === 'write') this.#write(mark.key, mark.in);
    const first = this.#runState.actors.length - started.length;
    // The reads for its calls stand behind all other marks of the step (WH1).
    const behind = marks.slice(marks.findLastIndex((mark) => !isOfCall(mark)) + 1);
    const reads = behind.flatMap((mark) => (mark.do === 'read' ? [{ by: instanceName(mark.in), key: mark.key }] : []));
    const because = this.#decided.size === 0 || started.length === 0 ? null : this.#decisionBehind(reads);
    for (const [index, { kind }] of started.entries()) {
      if (kind !== 'promise') continue;
      this.#reads.set(first + index, reads);
      if (because !== null) this.#because.set(first + index, because);
    }
  }

  #write(key: Key, by: InstanceId): void {
    this.#written?.delete(key.text);
    this.#written?.set(key.text, { key, by });
  }

  /** The nearest decision whose answer led to one of the reads. */
  #decisionBehind(reads: readonly { readonly key: Key }[]): BecauseOf | null {
    const { places, family, ledger, redaction } = this.#runState;
    for (const { key } of reads) {
      const step = this.#lastWrite(key);
      const child = answeringChild(eventType(step?.entry?.event));
      if (step === undefined || child === null || places.stepAt(step.to) !== step) continue;
      const actor = family.endedBy(step).findLast((each) => each.parent === step.actor && each.started?.id === child);
      const call = actor === undefined ? undefined : ledger.ofActor(actor.number);
      const row = actor === undefined ? undefined : this.#decided.get(actor.number);
      if (call?.decides && row !== undefined)
        return { row, tool: call.tool, answer: redaction.output(call.tool, call.output) };
      const further = actor === undefined ? undefined : this.#because.get(actor.number);
      if (further !== undefined) return further;
    }
    return null;
  }

  /** The last step that wrote a key, or a part of it. */
  #lastWrite(key: Key): RecordedStep | undefined {
    const { history, places } = this.#runState;
    let last = 0;
    for (const record of history.registry.all())
      last = Math.max(last, history.versions.writesOf(record).findLast((write) => overlaps(write.key, key))?.at ?? 0);
    return last === 0 ? undefined : places.stepAt(last);
  }

  /** Notes, on the call that leaves with this entry, the ages of the answers that it relied on. */
  #looked({ key, reads }: VerifiedEntry, { time }: StoredRow): void {
    const nth = this.all.findLastIndex((each) => each.is === 'call' && each.key === key);
    const call = this.all[nth];
    if (call?.is !== 'call') return;
    const looked = reads.map(({ actor, at, again = false }) => {
      const tool = this.#runState.looks.all.get(actor)?.tool ?? '';
      return { tool, age: Math.max(0, time - at), again };
    });
    this.all[nth] = { ...call, looked };
  }

  #call(entry: IntentEntry): Said<'call'> {
    const { key, tool, instance, held = null } = entry;
    const own = instanceName(instance);
    const reads = this.#reads.get(entry.actor) ?? [];
    const keys = new Map(reads.flatMap(({ by, key: read }) => (by === own ? [[read.text, read] as const] : [])));
    return {
      is: 'call',
      key,
      tool,
      instance,
      class: entry.class,
      args: shownArgs(entry, this.#runState),
      held,
      relies: [...keys.values()].map((read) => ({ key: read.text, by: this.#writers(read) })),
      because: this.#because.get(entry.actor) ?? null,
      config: this.#runState.digests?.config ?? null,
    };
  }

  /** The writers of the value now under a key: a write covers earlier writes below its key (K6). */
  #writers(read: Key): InstanceId[] {
    if (this.#written === null) this.#lookAgain();
    const writers = new Map<string, InstanceId>();
    const covers: Key[] = [];
    for (const { key, by } of [...(this.#written?.values() ?? [])].reverse()) {
      if (!overlaps(key, read)) continue;
      const common = key.segments.length > read.segments.length ? key : read;
      const isCovered = covers.some(({ segments }) => segments.every((each, index) => common.segments[index] === each));
      if (!isCovered && by.skeleton !== ROOT) writers.set(instanceName(by), by);
      if (!key.pattern) covers.push(key);
    }
    return [...writers.values()];
  }

  /** The writes that a restore has kept. */
  #lookAgain(): void {
    const { registry, versions } = this.#runState.history;
    const writes = [...registry.all()].flatMap((record) => versions.writesOf(record));
    this.#written = new Map();
    for (const { key, by } of writes.sort((a, b) => a.at - b.at)) this.#write(key, by.id);
  }

  #answer({ gate, verdict, by, why, post }: AnswerEntry): Said<'answer'> {
    const asked = this.#runState.asked.get(gate);
    const intent = asked === undefined ? undefined : this.#runState.ledger.get(asked.key)?.intent;
    return {
      is: 'answer',
      gate,
      verdict,
      by,
      why,
      post,
      status: null,
      asked:
        asked === undefined
          ? null
          : {
              asks: asked.asks,
              key: asked.key,
              digest: asked.digest,
              epoch: asked.epoch,
              tool: intent?.tool ?? null,
              instance: intent?.instance ?? null,
            },
    };
  }

  #outcome(entry: OutcomeEntry, row: StoredRow): void {
    const last = this.all.at(-1);
    const settles = last?.is === 'answer' && last.verdict === 'settled' && last.asked?.key === entry.key;
    if (settles) this.all[this.all.length - 1] = { ...last, status: last.status ?? entry.status };
    this.#lateRefusal(entry, row);
  }

  /**
   * A call that was approved and refused all the same. Denials and unanswered requests have lines of their own.
   */
  #lateRefusal({ key, status, error }: OutcomeEntry, row: StoredRow): void {
    const call = this.#runState.ledger.get(key);
    if (status !== 'failed' || call?.status !== 'buffered' || call.intent.held !== 'gate') return;
    if (this.#runState.asked.of(key)?.status !== 'approved') return;
    const { tool, instance } = call.intent;
    this.#add(row, { is: 'refusal', tool, instance, why: error ?? '' });
  }

  #decision(entry: DecisionEntry, row: StoredRow): void {
    const { signal, error, decision, checkpoint, call } = entry;
    if (signal === 'GOVERNOR_DENIED' && !this.#isSaid(entry)) {
      const tool = call === null ? null : (this.#runState.actors[call]?.started?.src ?? null);
      this.#add(row, { is: 'refusal', tool, instance: decision.failed, why: error });
    }
    this.#recoveries += 1;
    this.#add(row, {
      is: 'recovery',
      number: this.#recoveries,
      signal,
      error,
      verdict: decision.verdict,
      level: decision.line?.level ?? null,
      instance: decision.failed,
      checkpoint: decision.verdict.startsWith('restore') ? checkpoint : null,
      codes: [...new Set([...vetoes(decision)].map(({ code }) => code))],
    });
  }

  /** True if the ledger already has the refusal that a decision answers: the refusal of a call at its gate. */
  #isSaid({ call }: DecisionEntry): boolean {
    return call !== null && this.#runState.ledger.ofActor(call)?.intent.held === 'gate';
  }
}
