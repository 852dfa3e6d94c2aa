/**
 * The reads and writes of the parties of a microstep (semantics.md K5, K6). Reads: as the tools declare them. Writes:
 * the changes that the context shows, and for external keys as the tools declare them, too.
 */
import type { Skeleton } from '../boundaries/config.ts';
import { type Change, diff } from '../history/context.ts';
import type { HistoryEvent } from '../model/event.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Edit, Party } from '../model/step-entry.ts';
import { editOf } from '../projection/edits.ts';
import type { Entering } from './entering.ts';
import { isWithin } from './entry-states.ts';
import { type Acting, isOfEntity, modeOf, type StepView } from './step-view.ts';

const FIRST: readonly number[] = [0];
const EVERYTHING: Key = { text: '**', segments: [], pattern: true };

/** The reads and writes of a microstep. */
export class Accesses {
  readonly edits: readonly Edit[];
  /** In the order in which the step made them. */
  readonly made: readonly HistoryEvent[];
  /**
   * The writes that answers received by the step may still lead to: before its checkpoints, and no promise of any of
   * them (§4, Closed).
   */
  readonly pending: readonly HistoryEvent[];
  /**
   * The reads of the calls that the step starts, and their possible writes: after the step, so that its checkpoints
   * precede them.
   */
  readonly begun: readonly HistoryEvent[];
  readonly #view: StepView;
  readonly #entering: Entering;
  /** The keys that were observed to be read. */
  readonly #observed: readonly Key[];

  constructor(view: StepView, entering: Entering) {
    this.#view = view;
    this.#entering = entering;
    this.#observed = (view.seen.reads ?? []).map((path) => view.keyOf(path));
    const { parties } = entering;
    const { contextBefore, context } = view.seen;
    const changes = diff(contextBefore, context, (path) => view.isAppend(view.keyOf(path)));
    this.edits = changes.map((change) => editOf(change, this.#authors(change, parties)));
    const made: HistoryEvent[] = [];
    this.#reads(parties, made);
    this.#writes(this.edits, parties, made);
    this.#ties(this.edits, parties, made);
    this.made = made;
    this.pending = this.#pending(parties);
    this.begun = this.#calls(parties);
  }

  /** True where the keys that an instance reads and writes hang on nothing but its entity. */
  isPlanned({ instance }: Party): boolean {
    const skeleton = this.#view.config.skeletons.get(instance.skeleton);
    return skeleton === undefined || [...skeleton.inputs, ...skeleton.outputs].every(isOfEntity);
  }

  /** The reads of the code of a machine that are an instance's. */
  readsOfCode({ instance }: Party): readonly HistoryEvent[] {
    const reads: HistoryEvent[] = [];
    this.#readsOf(instance, [], true, reads);
    return reads;
  }

  /**
   * The parties that made a change: the only party, or the parties whose declared outputs contain it, or all of them
   * (tied together).
   */
  #authors({ path }: Change, parties: readonly Party[]): readonly number[] {
    // What a child machine begins with is its own.
    if (this.#view.isStart || parties.length === 1) return FIRST;
    const all = parties.map((_, index) => index);
    const key = this.#view.keyOf(path);
    const owners = all.filter((index) => this.outputs(parties[index] as Party).some((output) => overlaps(output, key)));
    return owners.length === 1 ? owners : all;
  }

  /** The keys that an instance may write in the step. */
  outputs({ instance }: Party): Key[] {
    const skeleton = this.#view.config.skeletons.get(instance.skeleton);
    if (skeleton === undefined) return [];
    const tools = this.#view
      .toolsOf(instance)
      .flatMap(({ tool, args }) =>
        (tool?.writes ?? []).flatMap((template) => this.#view.fillAll(template, instance, args)),
      );
    return [...skeleton.outputs.flatMap((template) => this.#view.fillAll(template, instance)), ...tools];
  }

  /** The reads of the parties (K5). A step that ran no code of the machine's reads nothing. */
  #reads(parties: readonly Party[], made: HistoryEvent[]): void {
    const { news, seen } = this.#view;
    if (this.#view.isStart) {
      made.push(...this.#readsOfStart(parties));
      return;
    }
    // The end of a child machine tells of all that is in it, and of nobody else.
    const child = news?.kind === 'machine' && seen.hears ? this.#view.memoryOf(news.id) : null;
    for (const { instance } of parties) {
      if (child !== null) made.push({ do: 'read', in: instance, key: child });
      const heard = this.#heardBy(instance);
      // An eventless step is no answer's, though it carries the event of one: what decides where it goes is nobody's entry.
      const isAnswer = heard.length > 0 && seen.hears;
      const undeclared = isAnswer ? heard.some(({ tool }) => tool === undefined) : !seen.bare;
      this.#readsOf(instance, heard, undeclared, made);
    }
  }

  /** The tools that an instance hears from. */
  #heardBy(instance: InstanceId): readonly Acting[] {
    const tools = this.#view.toolsOf(instance);
    return tools.length === 0 ? tools : tools.filter(({ starts }) => !starts);
  }

  /** A child machine reads, of its parent's, what the entry of its tool names (K5): the input that it is started with. */
  *#readsOfStart(parties: readonly Party[]): Generator<HistoryEvent> {
    const { started, parent } = this.#view.runState.actor(this.#view.actor);
    const tool = started?.src == null ? undefined : this.#view.config.tools.get(started.src);
    const args = started?.input;
    const owner = parties.find(({ instance }) => instance.skeleton !== ROOT)?.instance;
    const inputs = owner === undefined ? undefined : this.#view.config.skeletons.get(owner.skeleton)?.inputs;
    const keys =
      tool === undefined && inputs !== undefined
        ? inputs.flatMap((template) => this.#view.fillOf(parent ?? 0, template, args, owner?.entity))
        : tool === undefined
          ? [
              this.#view.memoryOf(
                parent === 0 || parent === null ? null : (this.#view.runState.actor(parent).started?.id ?? null),
              ),
            ]
          : tool.reads.flatMap((template) => this.#view.fillOf(parent ?? 0, template, args));
    for (const { instance } of parties) for (const key of keys) yield { do: 'read', in: instance, key };
  }

  #calls(parties: readonly Party[]): HistoryEvent[] {
    const begun: HistoryEvent[] = [];
    if (this.#view.seen.started.length === 0) return begun;
    const acting = [...parties.map(({ instance }) => instance), ...this.#entering.entered.map(({ id }) => id)];
    for (const instance of acting) {
      const starting = this.#view.toolsOf(instance).filter(({ starts }) => starts);
      if (starting.length === 0) continue;
      const undeclared = starting.some(({ tool }) => tool === undefined);
      this.#readsOf(instance, starting, undeclared, begun);
      // The world changes at some point between the start and the answer: from the start on for its readers, and it hides what
      // was there only once the answer has come.
      for (const key of this.#declaredWrites(instance, starting))
        begun.push({ do: 'write', in: instance, key, mode: 'append' });
    }
    return begun;
  }

  #readsOf(instance: InstanceId, tools: readonly Acting[], undeclared: boolean, made: HistoryEvent[]): void {
    const keys = tools.flatMap(
      ({ tool, args }) => tool?.reads.flatMap((template) => this.#view.fillAll(template, instance, args)) ?? [],
    );
    if (undeclared) keys.push(...this.#inputs(instance));
    keys.push(...this.#observed);
    const told = keys.length > 1 ? new Set<string>() : null;
    for (const key of keys) {
      if (told?.has(key.text)) continue;
      told?.add(key.text);
      made.push({ do: 'read', in: instance, key });
    }
  }

  /** The external keys that tools are declared to write, where no change can be observed. */
  #declaredWrites(instance: InstanceId, tools: readonly Acting[]): Key[] {
    return tools
      .flatMap(({ tool, args }) =>
        (tool?.writes ?? []).flatMap((template) => this.#view.fillAll(template, instance, args)),
      )
      .filter(isExternal);
  }

  #inputs(instance: InstanceId): Key[] {
    if (this.#view.seen.reads !== undefined) return [];
    const skeleton = this.#view.config.skeletons.get(instance.skeleton);
    if (skeleton === undefined) return [this.#everything()];
    return skeleton.inputs.flatMap((template) => this.#view.fillAll(template, instance));
  }

  /** The keys that code outside every skeleton can read: of a child machine, its own context. */
  #everything(): Key {
    const { actor, runState } = this.#view;
    return actor === 0 ? EVERYTHING : this.#view.memoryOf(runState.actor(actor).started?.id ?? null);
  }

  /** Their writes: the changes of the context, and the external keys that their tools are declared to write. */
  #writes(edits: readonly Edit[], parties: readonly Party[], made: HistoryEvent[]): void {
    for (const { path, op, by } of edits) {
      if (path.length > 0 && path[0] === this.#view.seen.own) continue;
      const key = this.#view.keyOf(path);
      for (const index of by) {
        const { instance } = parties[index] as Party;
        made.push({ do: 'write', in: instance, key, mode: modeOf(this.#view.config, key, op) });
        this.#outside(instance, key, parties[index] as Party);
      }
    }
    // An eventless step may still look at the answer that its event carries; what the call has changed outside was written when it was heard.
    if (!this.#view.seen.hears) return;
    for (const { instance } of parties) {
      for (const key of this.#declaredWrites(instance, this.#heardBy(instance)))
        made.push({ do: 'write', in: instance, key, mode: modeOf(this.#view.config, key, 'set') });
    }
  }

  /**
   * The outputs of a unit whose code goes on behind an answer and writes at its end: an answer may lead to any of them.
   * A boundary within such a unit keeps its answers, so an output that is found wrong goes back to before the answers
   * (§8.1).
   */
  #pending(parties: readonly Party[]): HistoryEvent[] {
    const pending: HistoryEvent[] = [];
    for (const { instance } of parties) {
      const skeleton = this.#view.config.skeletons.get(instance.skeleton);
      const heard = this.#view.toolsOf(instance).some(({ starts }) => !starts);
      if (!heard || skeleton === undefined || !holdsAnswers(this.#view, skeleton)) continue;
      for (const key of skeleton.outputs.flatMap((template) => this.#view.fillAll(template, instance)))
        if (!isExternal(key)) pending.push({ do: 'write', in: instance, key, mode: 'append' });
    }
    return pending;
  }

  /** A write outside the declared outputs is a finding, and nothing certifies meanwhile (K5). */
  #outside(instance: InstanceId, key: Key, party: Party): void {
    if (instance.skeleton === ROOT || this.outputs(party).some((output) => overlaps(output, key))) return;
    this.#view.find(
      'write_outside_outputs',
      instance,
      `${instanceName(instance)} wrote ${key.text}, which is none of its outputs`,
    );
  }

  /** Changes that several instances made in one step tie them together: neither is undone without the others. */
  #ties(edits: readonly Edit[], parties: readonly Party[], made: HistoryEvent[]): void {
    for (const { path, by } of edits) {
      if (by.length <= 1) continue;
      const key = this.#view.keyOf(path);
      for (const index of by) made.push({ do: 'read', in: (parties[index] as Party).instance, key });
    }
  }
}

/**
 * True if an instance of a skeleton can be kept behind an answer and write the consequences of the answer later. Two
 * conditions: the runtime observes reads, because the code of a state is its own, and a boundary lies within the state
 * at which the instance stands.
 */
export function holdsAnswers({ seen }: StepView, { boundaries, rollback }: Skeleton): boolean {
  if (seen.reads === undefined) return false;
  const isIn = (state: string) => seen.before?.some(({ path }) => isWithin(path, state)) === true;
  return rollback.outcomeCheckpoints || boundaries.some(({ site }) => 'at' in site && isIn(site.at));
}
