/**
 * Says whether another machine takes the whole past of a run the same way (semantics.md CO3): every kept step is gone through on paper, its calls
 * ask the same, and where the run stands the same delays are armed. It changes nothing.
 */
import { withComputed } from '../../boundaries/computed.ts';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { argsDigest } from '../../effects/digest.ts';
import { diff } from '../../history/context.ts';
import { eventType } from '../../model/reply-event.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual, partOf } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Machines } from '../../runtime/runtime.ts';
import { Outside } from './outside.ts';
import { PaperMachine } from './paper-machine.ts';
import { isRestart, UnchangedPast } from './past.ts';

const NO_TOOLS: BoundaryConfig['tools'] = new Map();

/** The first step at which another machine goes another way. */
export interface Parting {
  /** The number of the step among those of the run, from 1. */
  readonly step: number;
  readonly event: string;
  /** The part of the step that is another one. */
  readonly is: 'step' | 'event' | 'state' | 'context' | 'actors' | 'arguments' | 'delays';
  /** The state, the key of the context, or the tool. */
  readonly at: string;
  readonly expected: string;
  readonly found: string;
}

/** The part of a past that was gone through. */
interface Covered {
  readonly steps: number;
  readonly calls: number;
}

/**
 * A past that another machine takes the same way, or the first step at which it does not. That is for sure where the code has asked no clock and no
 * chance for it, and comes to the same twice; else it may have gone the same way then.
 */
export type Compared =
  | { readonly covered: Covered }
  | { readonly covered: Covered; readonly parting: Parting; readonly isSure: boolean };

/** Goes through the past of a run on paper, with the machines of another release. */
export function sameWay(runState: RunState, machines: Machines, tools: BoundaryConfig['tools'] = NO_TOOLS): Compared {
  const first = goneThrough(runState, machines, tools);
  if (!('parting' in first.compared) || !first.compared.isSure) return first.compared;
  const second = goneThrough(runState, machines, tools);
  return { ...first.compared, isSure: isEqual(first, second) };
}

/** A past that is gone through once, and where the machine stands then. */
function goneThrough(runState: RunState, machines: Machines, tools: BoundaryConfig['tools']) {
  const machine = new PaperMachine(machines);
  const outside = new Outside();
  try {
    const compared = outside.watching(() => new Comparison({ runState, tools }, machine, outside).whole());
    return { compared, whole: machine.whole, inputs: [...machine.inputs] };
  } finally {
    machine.stop();
  }
}

/** A past, and the tools of the config that it is gone through under. */
interface Past {
  readonly runState: RunState;
  readonly tools: BoundaryConfig['tools'];
}

/** One past, held against one machine. */
class Comparison {
  readonly #runState: RunState;
  readonly #tools: BoundaryConfig['tools'];
  readonly #machine: PaperMachine;
  readonly #outside: Outside;
  #steps = 0;
  #calls = 0;

  constructor({ runState, tools }: Past, machine: PaperMachine, outside: Outside) {
    this.#runState = runState;
    this.#tools = tools;
    this.#machine = machine;
    this.#outside = outside;
  }

  whole(): Compared {
    const steps = [...this.#runState.places.between(-1, Number.POSITIVE_INFINITY)].filter((step) => !isRestart(step));
    const [first] = steps;
    const last = steps.at(-1);
    if (first === undefined || last === undefined) return this.#found(null, 0);
    if (!this.#begins(first))
      return this.#found(parted(first, { is: 'step', at: '', expected: statesOf(first.value), found: 'it throws' }), 0);
    const past = new UnchangedPast(this.#machine);
    /** The number of times that the code had asked outside when the last passage began: what it asked before has come to the same. */
    let since = 0;
    for (const step of steps) {
      const [{ length }, asked] = [past.passages, this.#outside.asked];
      const isTaken = past.takes(step);
      if (past.passages.length > length && step !== first) since = asked;
      if (!isTaken) return this.#found(this.#difference(step, past), since);
      const asks = this.#asksElse(step);
      if (asks !== null) return this.#found(asks, since);
      this.#steps += 1;
    }
    // A delay may have been set in any passage.
    return past.isOver ? this.#found(this.#delaysElse(last), 0) : this.#found(this.#goesOn(last), since);
  }

  /** @param since how often the code had asked outside before what it came to. */
  #found(parting: Parting | null, since: number): Compared {
    const covered = { steps: this.#steps, calls: this.#calls };
    const { asked, isBlind } = this.#outside;
    return parting === null ? { covered } : { covered, parting, isSure: asked === since && !isBlind };
  }

  #begins({ entry }: RecordedStep): boolean {
    try {
      this.#machine.begin((entry?.event as { readonly input?: unknown } | undefined)?.input);
      return !this.#machine.hasThrown;
    } catch {
      return false;
    }
  }

  /** The difference of a step that the machine does not take. */
  #difference(step: RecordedStep, { last: micro }: UnchangedPast): Parting {
    const { entry } = step;
    const found = this.#machine.hasThrown ? 'it throws' : 'no step';
    if (entry === null || micro === null)
      return parted(step, { is: 'step', at: '', expected: statesOf(step.value), found });
    const then = eventType(entry.event);
    if (then !== micro.event.type)
      return parted(step, { is: 'event', at: '', expected: then, found: micro.event.type });
    const [before, now] = [statesOf(step.value), statesOf(micro.value)];
    const isElsewhere = micro.moves.some((path) => !isEqual(partOf(step.value, path), partOf(micro.value, path)));
    if (isElsewhere || (before !== now && micro.parts.length < 2))
      return parted(step, { is: 'state', at: '', expected: before, found: now });
    const [starts, startsNow] = [entry.started, micro.started].map((all) =>
      all
        .map(({ id, src }) => src ?? id)
        .toSorted()
        .join(', '),
    ) as [string, string];
    if (starts !== startsNow)
      return parted(step, { is: 'actors', at: '', expected: starts || 'none', found: startsNow || 'none' });
    const changes = diff(micro.contextBefore, micro.context, () => false);
    const known = new Map(entry.edits.map((edit) => [edit.path.join('/'), edit]));
    const other = changes.find(({ path }) => !known.has(path.join('/')));
    const changed = changes.find(
      (change) => change.op === 'set' && !isEqual(change.value, known.get(change.path.join('/'))?.value),
    );
    const lacking = entry.edits.find(({ path }) => !changes.some((change) => change.path.join('/') === path.join('/')));
    const at = (changed ?? other ?? lacking)?.path ?? [];
    const shapeAt = (edit: { readonly value?: unknown } | undefined) =>
      edit === undefined ? 'unchanged' : shapeOf(edit.value);
    const nowAt = changes.find(({ path }) => path.join('/') === at.join('/')) as
      | { readonly value?: unknown }
      | undefined;
    return parted(step, {
      is: 'context',
      at: at.join('/'),
      expected: shapeAt(known.get(at.join('/'))),
      found: differently(shapeAt(known.get(at.join('/'))), shapeAt(nowAt)),
    });
  }

  /** The call of a step that asks for something else: one key has one body (E3). */
  #asksElse(step: RecordedStep): Parting | null {
    const { ledger, secret, codecs } = this.#runState;
    for (const [index, { src, id }] of (step.entry?.started ?? []).entries()) {
      const number = step.firstStarted + index;
      const call = ledger.ofActor(number);
      if (call === undefined || !this.#machine.inputs.has(number)) continue;
      this.#calls += 1;
      const given = argsOf(this.#machine.inputs.get(number), src, call.tool);
      const input = withComputed({ tools: this.#tools }, call.tool, given);
      if (argsDigest(input, secret, codecs) === call.intent.digest) continue;
      const expected = shapeOf((call.intent.instead ?? call.intent).args);
      return parted(step, { is: 'arguments', at: src ?? id, expected, found: differently(expected, shapeOf(input)) });
    }
    return null;
  }

  /** The step that the machine takes of itself where the past ends. */
  #goesOn(last: RecordedStep): Parting {
    const [ahead] = this.#runState.actors.flatMap(({ number }) => this.#machine.ahead(number));
    const found = ahead === undefined ? 'another context' : statesOf(ahead.value);
    return parted(last, { is: 'step', at: '', expected: 'no further step', found });
  }

  /** The delays that are armed where the run stands, where the machine waits for others: a plan arms those of the journal. */
  #delaysElse(last: RecordedStep): Parting | null {
    const { timers, actors } = this.#runState;
    for (const { number, ended } of actors) {
      if (ended !== null) continue;
      const then = timers.armed(number).filter(({ id }) => !id.startsWith('belay.sent.'));
      const now = this.#machine.armedBy(number);
      const [expected, found] = [then, now].map((all) =>
        all
          .map(({ event, delay }) => `${eventType(event)} after ${delay} ms`)
          .toSorted()
          .join(', '),
      ) as [string, string];
      if (expected !== found)
        return parted(last, { is: 'delays', at: '', expected: expected || 'no delay', found: found || 'no delay' });
    }
    return null;
  }
}

/** The arguments of a call by the input of its actor: one of a toolbox is asked with a part of it. */
function argsOf(input: unknown, src: string | null, name: string): unknown {
  const { tool, input: own } = (input ?? {}) as { readonly tool?: unknown; readonly input?: unknown };
  return src !== null && name === `${src}/${String(tool)}` ? own : input;
}

function parted({ nth, entry }: RecordedStep, difference: Omit<Parting, 'step' | 'event'>): Parting {
  return { step: nth + 1, event: eventType(entry?.event), ...difference };
}

/** The states of a value, as people write them. */
function statesOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  const parts = Object.entries(value).map(([name, inner]) => {
    const below = inner === undefined ? '' : statesOf(inner);
    return below === '' ? name : `${name}.${below}`;
  });
  return parts.join(', ');
}

/** The shape of a value: a message never shows what a context holds. */
function shapeOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `a text of ${value.length}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object')
    return `an object with ${Object.keys(value).toSorted().slice(0, 8).join(', ') || 'no keys'}`;
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

function differently(expected: string, found: string): string {
  return expected === found ? `${found} that is another one` : found;
}
