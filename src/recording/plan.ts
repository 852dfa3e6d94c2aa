/**
 * Plans of steps: a step's consequences that follow from its transitions and the live instances alone. A step that
 * starts, ends, enters, leaves and certifies nothing is made from its plan. Every other step is worked out in full, and
 * so is a step at which a condition answers anything but no. A plan is copied from a step that was worked out, and
 * every fact that may have changed since is checked again.
 */
import type { Boundary, BoundaryConfig } from '../boundaries/config.ts';
import { diff, type Path, type Paths } from '../history/context.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { HistoryEvent } from '../model/event.ts';
import { hasValue } from '../model/external-keys.ts';
import { ROOT } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Edit, Party, StepEntry } from '../model/step-entry.ts';
import type { Answer, Facts } from '../predicates/predicate.ts';
import { editOf } from '../projection/edits.ts';
import type { RunState } from '../projection/run-state.ts';
import type { Live } from '../projection/state-types.ts';
import type { Microstep } from '../runtime/microstep.ts';
import type { Accesses } from './accesses.ts';
import type { Certifying } from './certifying.ts';
import type { Entering } from './entering.ts';
import type { Asked, Entry, Heard, Passed, RecorderPort } from './planned.ts';
import { isUnder, keyIn, modeOf, payload, type StepView } from './step-view.ts';

const NONE: readonly never[] = [];
const FIRST: readonly number[] = [0];
const OUTCOME: readonly string[] = [''];
/** The most places whose writes one plan knows. A context with more of them has data for names. */
const PLACES = 4_096;

const UNHEARD: Heard = { of: null, answers: new Map() };

/** The plan of the steps of one actor that take the same transitions while the same instances live. */
export class Plan {
  readonly actor: number;
  readonly version: number;
  heard: Heard = UNHEARD;
  readonly #port: RecorderPort;
  readonly #paths: Paths;
  readonly #party: Party;
  readonly #parties: readonly Party[];
  /** The keys that the party may write; null for a root, which may write any. */
  readonly #outputs: readonly Key[] | null;
  readonly #live: Live | null;
  /** A root: each of its steps is a position unless it has an open call. */
  readonly #root: InstanceRecord | null;
  readonly #reads: readonly HistoryEvent[];
  readonly #entries: readonly Entry[];
  readonly #asked: readonly Asked[];
  readonly #passed: readonly Passed[];
  readonly #outcome: readonly HistoryEvent[];
  readonly #writes = new Map<Path, HistoryEvent | null>();
  readonly #isAppend: (path: Path) => boolean;

  private constructor(port: RecorderPort, paths: Paths, actor: number, parts: PlanParts) {
    const { config, runState, encoder } = port;
    const { party, accesses, live, entries, asked, passed } = parts;
    this.#port = port;
    this.#paths = paths;
    this.actor = actor;
    this.version = runState.places.liveVersion;
    this.#party = party;
    this.#parties = [party];
    this.#outputs = live === null ? null : accesses.outputs(party);
    this.#live = live;
    this.#root = live === null ? (runState.history.registry.get(party.instance) ?? null) : null;
    this.#reads = accesses.readsOfCode(party);
    this.#entries = entries;
    this.#asked = asked;
    this.#passed = passed;
    this.#outcome = live === null ? [{ do: 'boundary', in: party.instance, kind: 'outcome' }] : NONE;
    this.#isAppend = appendsIn(config, runState, actor);
    for (const kept of [this.#parties, ...this.#reads, ...this.#outcome]) encoder.expect(kept);
  }

  /** The plan of a step that was worked out; null if the next step of its kind may differ. */
  static of(port: RecorderPort, paths: Paths, view: StepView, by: WorkedOut): Plan | null {
    const { entering, accesses, certifying, boundaries } = by;
    const [party, other] = entering.parties;
    if (party === undefined || other !== undefined || view.findings.length > 0) return null;
    if (entering.enters.length + entering.leaving.size + entering.entered.length > 0) return null;
    if (boundaries.some(({ id }) => id !== '') || !accesses.isPlanned(party)) return null;
    const live =
      party.instance.skeleton === ROOT ? null : view.here.find(({ live: { id } }) => id === party.instance)?.live;
    const known = certifying.plan();
    if (live === undefined || known === null) return null;
    return new Plan(port, paths, view.actor, { party, accesses, live, entries: entering.plan(), ...known });
  }

  /** The entry of a step; null if the step must be worked out. */
  entry(seen: Microstep): StepEntry | null {
    this.heard = UNHEARD;
    if (this.#root !== null && this.#port.runState.history.effects.hasOpen(this.#root)) return null;
    if (!this.#saysNo(seen) || !this.#hasAll(seen.context)) return null;
    const edits: Edit[] = [];
    const marks: HistoryEvent[] = seen.bare ? [] : [...this.#reads];
    const changes = diff(seen.contextBefore, seen.context, this.#isAppend, this.#paths);
    for (let index = 0; index < changes.length; index += 1) {
      const change = changes[index] as (typeof changes)[number];
      const write = change.op === 'append' ? null : this.#write(change.path);
      if (write === null) return null;
      edits.push(editOf(change, FIRST));
      marks.push(write);
    }
    for (const mark of this.#outcome) marks.push(mark);
    const step: StepEntry = {
      do: 'step',
      actor: this.actor,
      event: seen.event,
      outside: seen.outside,
      value: seen.value,
      remembered: null,
      done: false,
      parties: this.#parties,
      edits,
      started: NONE,
      marks,
      regions: NONE,
      moves: seen.moves,
      boundaries: this.#outcome.length > 0 ? OUTCOME : NONE,
      closed: NONE,
      ended: NONE,
    };
    return seen.looks.length > 0 ? { ...step, looks: seen.looks } : step;
  }

  /** True if the step enters no instance anew, and the conditions of all boundaries that it reaches say no. */
  #saysNo(seen: Microstep): boolean {
    if (this.#entries.length === 0 && this.#asked.length === 0) return true;
    const { event, context } = seen;
    const args = payload(event);
    const action = event.type;
    const facts = (state: string, entity: string | null): Facts => {
      return { state, action, args, entity, memory: context, event };
    };
    for (const { entity, evaluate, state } of this.#entries) {
      const found = evaluate(facts(state, null));
      if ('reason' in found || found.value !== entity) return false;
    }
    const { certified, id } = this.#live as Live;
    const answers = new Map<Boundary, Answer>();
    for (const { boundary, state, isArrival } of this.#asked) {
      if (!isArrival && certified.has(boundary.id)) continue;
      const answer = this.#port.decisionPolicy.heard(boundary.when.ask(facts(state, id.entity)));
      answers.set(boundary, answer);
      if (answer.is === 'no') continue;
      this.heard = { of: this.#live, answers };
      return false;
    }
    return true;
  }

  /** True if the boundaries that control passes need no finding. */
  #hasAll(context: unknown): boolean {
    for (const { live, id, others, keys } of this.#passed) {
      if (live.told.has(id) || others.some((other) => live.certified.has(other))) continue;
      for (const key of keys) if (!hasValue(context, key)) return false;
    }
    return true;
  }

  /** The write of a place; null where it is none of the outputs. */
  #write(path: Path): HistoryEvent | null {
    const known = this.#writes.get(path);
    if (known !== undefined) return known;
    const { config, runState, encoder } = this.#port;
    const key = keyIn(runState, this.actor, path);
    const isOutput = this.#outputs?.some((output) => overlaps(output, key)) ?? true;
    const mode = modeOf(config, key, 'set');
    const write: HistoryEvent | null = isOutput ? { do: 'write', in: this.#party.instance, key, mode } : null;
    if (this.#writes.size >= PLACES) this.#writes.clear();
    this.#writes.set(path, write);
    if (write !== null) encoder.expect(write);
    return write;
  }
}

/** Tells which lists of an actor's context only grow. */
function appendsIn({ append }: BoundaryConfig, runState: RunState, actor: number): (path: Path) => boolean {
  if (append.length === 0) return () => false;
  return (path) => append.some((declared) => isUnder(keyIn(runState, actor, path), declared));
}

/** The parts that a step was worked out by. */
export interface WorkedOut {
  readonly entering: Entering;
  readonly accesses: Accesses;
  readonly certifying: Certifying;
  readonly boundaries: readonly { readonly id: string }[];
}

interface PlanParts extends Pick<WorkedOut, 'accesses'> {
  readonly party: Party;
  readonly live: Live | null;
  readonly entries: readonly Entry[];
  readonly asked: readonly Asked[];
  readonly passed: readonly Passed[];
}
