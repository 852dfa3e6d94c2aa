/**
 * Chooses among the branches of alternatives once that can be done, or has a person choose, and has the machine receive the choice in the same
 * commit (semantics.md AL1, AL4, AL5, AL11).
 */
import { setAlarm } from '../../clock/alarm.ts';
import type { Alarm } from '../../clock/clock.ts';
import { errorMessage } from '../../effects/signals.ts';
import { encode } from '../../journal/codec.ts';
import { type Candidate, CHOICE_EVENTS, type ChoiceEntry, type Shown } from '../../model/choice-entries.ts';
import { regionName } from '../../model/region.ts';
import { endedChild } from '../../model/reply-event.ts';
import type { Facts } from '../../predicates/predicate.ts';
import type { ActorState } from '../../projection/state-types.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Origin, Runtime } from '../../runtime/runtime.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { Branches, type BranchSet } from '../calls/branches.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';
import { questionOf, saidOf } from './gated-choice.ts';

/** The events by which a machine receives a choice. */
const { chosen: CHOSEN, none: NONE } = CHOICE_EVENTS;

/** The surroundings of the choices of a run. */
interface ChoosingPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
  readonly recovering: Recovering;
  readonly approvals: Pick<Approvals, 'askBranch'>;
  finds(code: string, text: string): void;
}

/** A branch as it is now. `open`: it is over, and the outcome of a call of it is not known. */
type State =
  | { readonly is: 'running' }
  | { readonly is: 'open'; readonly at: number }
  | { readonly is: 'failed' | 'refused'; readonly why: string }
  | { readonly is: 'over'; readonly score: number | null; readonly at: number; readonly output: unknown };

/** The choices of one run. */
export class Choosing {
  readonly branches: Branches;
  readonly #port: ChoosingPort;
  /** The steps that have started branches whose choice the machine was given, or does not take. */
  readonly #told = new WeakSet<object>();
  /** The branches whose open calls were asked about, each with the wall clock of the next question. */
  readonly #askedAbout = new Map<number, number>();
  /** The wall clock of the last row of the process before this one. */
  readonly #last: number;
  #alarm: Alarm | undefined;
  #isDue = false;

  constructor(port: ChoosingPort) {
    this.#port = port;
    this.#last = port.parts.runState.parts.events.time;
    this.branches = new Branches(port.parts);
    if (port.parts.config.alternatives.size > 0) port.parts.lifecycle.whenever('choose', () => this.#consider());
  }

  /** True where the run may not end yet: a choice is to be made, or what it orders is not done. */
  get isOwed(): boolean {
    const { runState } = this.#port.parts;
    if (this.branches.sets(runState.actors).some(({ choice }) => choice === undefined)) return true;
    if (runState.choices.all.length === 0) return false;
    const isDue = ({ intent }: { readonly intent: { readonly actor: number } }) =>
      runState.choices.hasWon(runState.actors, intent.actor);
    return this.#port.recovering.losers.isOwed || runState.ledger.buffered().some(isDue);
  }

  /** True while branches have a deadline to come that only a process brings about: given back, the run would have none (AL4). */
  get isTimed(): boolean {
    const { lifecycle, now } = this.#port.parts;
    if (!lifecycle.may('choose')) return false;
    const dues = this.branches.running().map((set) => (set.choice === undefined ? this.#dueOf(set) : 0));
    return dues.some((due) => Number.isFinite(due) && due > now());
  }

  /** Looks at the branches once what is happening is over. */
  begin(): void {
    if (this.#isDue || this.#port.parts.config.alternatives.size === 0) return;
    this.#isDue = true;
    const ends = this.#port.parts.activity.begin();
    queueMicrotask(() => {
      this.#isDue = false;
      ends();
      this.#consider();
    });
  }

  /** Takes no choice any more: the process takes leave of the run. */
  stop(): void {
    this.#alarm?.cancel();
  }

  /** A step has ended actors: where that leaves no branch of a set, all of them have lost. */
  ended(numbers: readonly number[]): void {
    const { runState } = this.#port.parts;
    const left = this.branches.sets(numbers.map((number) => runState.actor(number)));
    for (const set of left) if (isLeft(set) && this.#mayLeave) this.#choose(set, 'left', set.branches.map(unfinished));
  }

  get #mayLeave(): boolean {
    return this.#port.parts.lifecycle.answer('choose').is !== 'no';
  }

  /** A branch has failed: it goes no further. */
  fail(actor: number, error: unknown): void {
    const branch = this.branches.of(actor);
    if (branch === null || this.branches.isOut(actor)) return;
    this.#port.write.append([{ do: 'branch', actor: branch.number, error: errorMessage(error) }]);
    this.begin();
  }

  /** True where an event is not to be handed on: it is to a branch that goes no further, or comes out of a branch (AL1, AL4). */
  stops(ref: ActorHandle, event: RuntimeEvent, from?: Origin): boolean {
    const { parts, actors, runtime } = this.#port;
    if (parts.config.alternatives.size === 0) return false;
    const to = actors.numberOf(ref);
    if (to === undefined) return false;
    if (to === 0 && (event.type === CHOSEN || event.type === NONE)) {
      if (from?.isOutside() !== true) return false;
      this.#port.finds('choice_refused', `${event.type} was sent from outside: only the sidecar chooses`);
      return true;
    }
    if (this.branches.isOut(to)) return true;
    const sender = from?.sender() ?? from?.source() ?? runtime.teller(ref, event) ?? null;
    const by = sender === null ? undefined : actors.numberOf(sender);
    const branch = by === undefined ? null : this.branches.of(by);
    if (branch === null || this.branches.of(to)?.number === branch.number) return false;
    this.#tellDropped(branch, event);
    return true;
  }

  #tellDropped({ number, started }: ActorState, event: RuntimeEvent): void {
    if (endedChild(event.type) === null) {
      const text = `${event.type} of the branch ${started?.id} is dropped: nothing leaves a branch but its output, at the choice`;
      this.#port.finds('branch_event_dropped', text);
    } else if (event.type.startsWith('xstate.error.')) this.fail(number, event.error);
  }

  #consider(): void {
    const { parts } = this.#port;
    for (const set of this.branches.running())
      if (parts.lifecycle.may('choose')) {
        if (set.choice !== undefined) this.#tell(set);
        else this.#look(set);
      }
    this.#wake();
  }

  /** Goes through all branches of a run that is taken up: a process may have died between a step and what it leads to. */
  takenUp(): void {
    const { runState } = this.#port.parts;
    this.#idled();
    for (const set of this.branches.sets(runState.actors))
      if (isLeft(set) && this.#mayLeave) this.#choose(set, 'left', set.branches.map(unfinished));
    this.begin();
  }

  /** The time in which no process had the run is none of its branches (AL4). */
  #idled(): void {
    const { runState, now } = this.#port.parts;
    const waits = this.branches
      .sets(runState.actors)
      .some((set) => set.choice === undefined && this.#dueOf(set) > this.#last);
    if (waits && now() > this.#last) this.#port.write.append([{ do: 'idled', since: this.#last }]);
  }

  /** Sets the alarm for the next deadline, or for the next question about a call of a branch that is over. */
  #wake(): void {
    const { parts } = this.#port;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    const open = this.branches.running().filter(({ choice }) => choice === undefined);
    const dues = [...open.map((set) => this.#dueOf(set)), ...this.#askedAbout.values()];
    const due = Math.min(...dues.filter((one) => one > parts.now()));
    if (!Number.isFinite(due) || parts.lifecycle.leave.aborted) return;
    this.#alarm = setAlarm(due, parts.now, () => this.#consider(), parts.keepAlive);
  }

  /** The wall clock of the deadline, in milliseconds. */
  #dueOf({ alternatives: { deadline }, by }: BranchSet): number {
    if (deadline === null) return Number.POSITIVE_INFINITY;
    return by.time + deadline + this.#port.parts.runState.choices.idleSince(by.time);
  }

  #look(set: BranchSet): void {
    const { parts } = this.#port;
    const states = set.branches.map((branch) => this.#stateOf(set, branch));
    const isLate = this.#dueOf(set) <= parts.now();
    for (const [index, state] of states.entries())
      if (state.is === 'open') this.#askAbout(set.branches[index] as ActorState);
    const isPending = states.some(({ is }) => is === 'running' || is === 'open') && !isLate;
    const { rule } = set.alternatives;
    const isNone = !states.some(({ is }) => is === 'over');
    const winner = chosenOf(set, states);
    if (isPending && (rule !== 'first' || isBehindOpen(states, winner))) return;
    if (rule === 'gate' && !isNone) {
      this.#askPerson(set, states);
      return;
    }
    this.#chooses(set, states, winner, { by: isPending || !isLate ? rule : 'deadline' });
  }

  #chooses(
    set: BranchSet,
    states: readonly State[],
    winner: number,
    how: { readonly by: ChoiceEntry['by']; readonly gate?: string },
  ): void {
    const candidates = set.branches.map((branch, index) =>
      candidateOf(branch, states[index] as State, index === winner),
    );
    this.#choose(set, how.by, candidates, how.gate);
  }

  /** Takes the word of a person about the branches as they are now, or asks for it (AL11, AL12). */
  #askPerson(set: BranchSet, states: readonly State[]): void {
    const { parts, approvals } = this.#port;
    const { runState } = parts;
    const shown = set.branches.map((branch, index) => shownOf(branch, states[index] as State));
    const question = questionOf(runState, set.alternatives.name, shown);
    const gate = runState.asked.of(question.key);
    const said = saidOf(gate, question);
    if (said === null || gate === undefined || said.is === 'asked') {
      approvals.askBranch(question, set.alternatives.expires);
      return;
    }
    const winner = said.is === 'chosen' ? shown.findIndex(({ branch }) => branch === said.branch) : -1;
    this.#chooses(set, states, winner, { by: 'gate', gate: gate.gate });
  }

  /** Asks what became of the calls of a branch that is over; a branch of which that stays unknown has failed. */
  #askAbout(branch: ActorState): void {
    const { recovering, parts } = this.#port;
    if ((this.#askedAbout.get(branch.number) ?? 0) > parts.now()) return;
    this.#askedAbout.set(branch.number, Number.POSITIVE_INFINITY);
    void recovering
      .findOut(() => this.#openOf(branch))
      .then((isKnown) => {
        const next = Math.min(
          ...this.#openOf(branch).flatMap((key) => parts.runState.ledger.get(key)?.asked.next ?? []),
        );
        if (isKnown || parts.lifecycle.leave.aborted) this.begin();
        else if (Number.isFinite(next)) {
          this.#askedAbout.set(branch.number, next);
          this.#wake();
        } else this.fail(branch.number, new Error('it is unknown what became of a call of it'));
      })
      .catch(() => {});
  }

  #openOf({ number }: ActorState): string[] {
    const open = this.#port.parts.runState.ledger.open();
    return open.filter(({ intent }) => this.branches.of(intent.actor)?.number === number).map(({ key }) => key);
  }

  #stateOf({ alternatives }: BranchSet, branch: ActorState): State {
    const { parts, actors, runtime } = this.#port;
    const error = parts.runState.choices.failed.get(branch.number);
    if (error !== undefined) return { is: 'failed', why: error };
    if (branch.ended !== null) return { is: 'failed', why: 'the machine has stopped it' };
    const ref = actors.at(branch.number);
    if (ref === undefined || runtime.machines?.isOver(ref) !== true) return { is: 'running' };
    const region = regionName(branch.number, '');
    const at = parts.runState.places.lastMover(region, ({ actor }) => actor === branch.number)?.nth ?? 0;
    if (this.#openOf(branch).length > 0) return { is: 'open', at };
    const facts = factsOf(branch, runtime.outputOf(ref));
    const answer = alternatives.when?.ask(facts) ?? { is: 'yes' };
    if (answer.is !== 'yes')
      return { is: 'refused', why: answer.is === 'no' ? 'its condition does not hold' : answer.reason };
    const score = alternatives.score?.evaluate(facts) ?? null;
    const unwritten = alternatives.rule === 'gate' ? this.#unwritten(facts.event) : null;
    if (unwritten !== null) return { is: 'refused', why: unwritten };
    if (score !== null && 'reason' in score) return { is: 'refused', why: score.reason };
    return { is: 'over', score: score?.value ?? null, at, output: runtime.outputOf(ref) };
  }

  /** Says why an output cannot be shown to a person in any process; null where it can (AL12). */
  #unwritten(output: unknown): string | null {
    const written = encode(output, { codecs: this.#port.parts.runState.codecs });
    return 'text' in written
      ? null
      : `its output cannot be written down: ${written.reason} at ${written.path.join('.')}`;
  }

  #choose(set: BranchSet, by: ChoiceEntry['by'], branches: readonly Candidate[], gate?: string): void {
    const { write, recovering } = this.#port;
    const entry: ChoiceEntry = {
      do: 'choice',
      alternatives: set.alternatives.name,
      by,
      branches,
      ...(gate !== undefined && { gate }),
    };
    write.together(() => {
      write.append([entry]);
      // Nothing new leaves before what the losers did is undone (AL7).
      recovering.losers.begin();
      if (by !== 'left') this.#deliver(set, branches);
    }, false);
    void write.durable().catch(() => {});
    this.#wake();
  }

  /** Has the machine receive a choice that it has not taken: its process died before, or its step threw. */
  #tell(set: BranchSet): void {
    if (!this.#told.has(set.by)) this.#deliver(set, set.choice?.branches ?? []);
  }

  #deliver(set: BranchSet, branches: readonly Candidate[]): void {
    const { actors, runtime, deliveries, finds } = this.#port;
    const root = actors.at(0);
    if (root === undefined || runtime.machines === null) return;
    this.#told.add(set.by);
    const { name } = set.alternatives;
    const winner = branches.find(({ is }) => is === 'won');
    const ref = winner === undefined ? undefined : actors.at(winner.actor);
    const output = ref === undefined ? undefined : runtime.outputOf(ref);
    const event: RuntimeEvent =
      winner === undefined
        ? { type: NONE, alternatives: name }
        : { type: CHOSEN, alternatives: name, branch: winner.branch, output };
    if (runtime.machines.takers(root, event).length === 0)
      finds('choice_untaken', `the machine takes no ${event.type} of ${name} where it stands: it goes on without it`);
    else deliveries.past(() => runtime.deliver(root, event));
  }
}

/** True where every branch was stopped, and no choice was made. */
function isLeft({ branches, choice }: BranchSet): boolean {
  return choice === undefined && branches.every(({ ended }) => ended !== null);
}

/** True where a branch that was over before the first one may still be chosen, or none is there to be chosen. */
function isBehindOpen(states: readonly State[], first: number): boolean {
  const winner = states[first];
  return winner?.is !== 'over' || states.some((state) => state.is === 'open' && state.at < winner.at);
}

/** The place of the branch that is chosen; -1 where there is none. */
function chosenOf({ alternatives: { rule } }: BranchSet, states: readonly State[]): number {
  let best = -1;
  for (const [index, state] of states.entries()) {
    const before = states[best];
    if (state.is !== 'over') continue;
    const isBetter =
      before?.is !== 'over' || (rule === 'first' ? state.at < before.at : (state.score ?? 0) > (before.score ?? 0));
    if (isBetter) best = index;
  }
  return best;
}

function candidateOf({ number, started }: ActorState, state: State, isWinner: boolean): Candidate {
  const of = { actor: number, branch: started?.id ?? '' };
  switch (state.is) {
    case 'running':
    case 'open':
      return { ...of, is: 'unfinished' };
    case 'failed':
    case 'refused':
      return { ...of, is: state.is, why: state.why };
    case 'over':
      return { ...of, is: isWinner ? 'won' : 'lost', ...(state.score !== null && { score: state.score }) };
  }
}

/** A branch as a person is shown it. What is open is not over. */
function shownOf({ number, started }: ActorState, state: State): Shown {
  const of = { actor: number, branch: started?.id ?? '' };
  switch (state.is) {
    case 'running':
    case 'open':
      return { ...of, is: 'unfinished' };
    case 'failed':
    case 'refused':
      return { ...of, is: state.is, why: state.why };
    case 'over':
      return { ...of, is: 'over', ...(state.score !== null && { score: state.score }), output: state.output ?? null };
  }
}

function unfinished({ number, started }: ActorState): Candidate {
  return { actor: number, branch: started?.id ?? '', is: 'unfinished' };
}

function factsOf({ context, started }: ActorState, output: unknown): Facts {
  const entity = started?.id ?? null;
  return { state: '', action: '', args: null, entity, memory: context, event: { output } };
}
