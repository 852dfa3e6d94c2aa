/**
 * Says whether another machine takes the whole past of a run the same way (semantics.md CO3): every kept step is gone through on paper, its calls
 * ask the same, and where the run stands the same delays are armed. It changes nothing.
 */
import { withComputed } from '../../boundaries/computed.ts';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { argsDigest } from '../../effects/digest.ts';
import { diff } from '../../history/context.ts';
import { eventType } from '../../model/reply-event.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual, partOf } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Machines } from '../../runtime/runtime.ts';
import { planBefore } from '../plan/restore-plan.ts';
import { Outside } from './outside.ts';
import { PaperMachine } from './paper-machine.ts';
import { differently, type Parting, parted, shapeOf, statesOf } from './parting.ts';
import { isRestart, UnchangedPast } from './past.ts';
import { argsOf, delaysElse, goesOn, standsElse } from './stands-otherwise.ts';

const NO_TOOLS: BoundaryConfig['tools'] = new Map();

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
    const { places, comparedFrom } = this.#runState;
    const steps = [...places.between(comparedFrom - 1, Number.POSITIVE_INFINITY)].filter((step) => !isRestart(step));
    const first = steps[0];
    const last = steps.at(-1) ?? (comparedFrom > 0 ? (places.steps.last as RecordedStep) : undefined);
    if (last === undefined) return this.#found(null, 0);
    if (first === undefined) return this.#found(standsElse(this.#runState, this.#machine, this.#tools), 0);
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
    return past.isOver
      ? this.#found(delaysElse(this.#runState, this.#machine, last), 0)
      : this.#found(goesOn(this.#runState, this.#machine, last), since);
  }

  /** @param since how often the code had asked outside before what it came to. */
  #found(parting: Parting | null, since: number): Compared {
    const covered = { steps: this.#steps, calls: this.#calls };
    const { asked, isBlind } = this.#outside;
    return parting === null ? { covered } : { covered, parting, isSure: asked === since && !isBlind };
  }

  #begins(first: RecordedStep): boolean {
    try {
      if (first.nth > 0) {
        this.#machine.putAt(planBefore(this.#runState, first));
        this.#machine.forget();
      } else this.#machine.begin((first.entry?.event as { readonly input?: unknown } | undefined)?.input);
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
}
