/**
 * Compares another machine with a run at its present place: calls under way, delays, eventless steps (semantics.md CO3,
 * CO6).
 */
import { withComputed } from '../../boundaries/computed.ts';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { argsDigest } from '../../effects/digest.ts';
import { eventType } from '../../model/reply-event.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Machines } from '../../runtime/runtime.ts';
import { planResume } from '../plan/resume-plan.ts';
import { PaperMachine } from './paper-machine.ts';
import { differently, type Parting, parted, shapeOf, statesOf } from './parting.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * The difference of a machine that is put where a run stands; null where it stands there as the run does.
 * @param left the states that the event of the move leaves: their delays are taken back (CO11).
 */
export function standsOtherwise(
  runState: RunState,
  machines: Machines,
  tools: BoundaryConfig['tools'],
  left: ReadonlySet<string>,
): Parting | null {
  const machine = new PaperMachine(machines);
  try {
    return standsElse(runState, machine, tools, left);
  } finally {
    machine.stop();
  }
}

/** The same, on a machine on paper that is at hand. */
export function standsElse(
  runState: RunState,
  machine: PaperMachine,
  tools: BoundaryConfig['tools'],
  left: ReadonlySet<string> = NONE,
): Parting | null {
  const last = runState.places.steps.last as RecordedStep;
  const [root] = runState.actors;
  const expected = statesOf(root?.value ?? '');
  const put = isPut(runState, machine);
  const now = machine.now(0);
  if (!put || now === null || !isEqual(now.value, root?.value))
    return parted(last, { is: 'state', at: '', expected, found: now === null ? 'no such state' : statesOf(now.value) });
  machine.forget();
  if (!machine.settles() || machine.isAhead) return goesOn(runState, machine, last);
  return callsElse(runState, machine, tools, last) ?? delaysElse(runState, machine, last, left);
}

function isPut(runState: RunState, machine: PaperMachine): boolean {
  try {
    machine.putAt(planResume(runState, () => 0));
    return !machine.hasThrown;
  } catch {
    return false;
  }
}

/** A call under way that no state of the machine makes, or makes with other arguments: one key has one body (E3). */
function callsElse(
  { actors, family, ledger, secret, codecs }: RunState,
  machine: PaperMachine,
  tools: BoundaryConfig['tools'],
  last: RecordedStep,
): Parting | null {
  if (actors[0] === undefined) return null;
  for (const { number, started } of family.childrenOf(0)) {
    const { src = null, id = '' } = started ?? {};
    const asked = machine.inputOf(number);
    if (asked === undefined)
      return parted(last, { is: 'actors', at: src ?? id, expected: src ?? id, found: 'none that asks it' });
    const call = ledger.ofActor(number);
    if (call === undefined) continue;
    const input = withComputed({ tools }, call.tool, argsOf(asked.is, src, call.tool));
    if (argsDigest(input, secret, codecs) === call.intent.digest) continue;
    const expected = shapeOf((call.intent.instead ?? call.intent).args);
    return parted(last, { is: 'arguments', at: src ?? id, expected, found: differently(expected, shapeOf(input)) });
  }
  return null;
}

/** The difference that the machine takes an eventless step where the past ends. */
export function goesOn({ actors }: RunState, machine: PaperMachine, last: RecordedStep): Parting {
  const [ahead] = actors.flatMap(({ number }) => machine.ahead(number));
  const found = ahead === undefined ? 'another context' : statesOf(ahead.value);
  return parted(last, { is: 'step', at: '', expected: 'no further step', found });
}

/** The delays that are armed where the run stands, where the machine waits for others: a plan arms those of the journal. */
export function delaysElse(
  { timers, actors }: RunState,
  machine: PaperMachine,
  last: RecordedStep,
  left: ReadonlySet<string> = NONE,
): Parting | null {
  for (const { number, ended } of actors) {
    if (ended !== null) continue;
    const then = timers.armed(number).filter(({ id }) => !id.startsWith('belay.sent.'));
    const now = machine.armedBy(number);
    const stays = ({ event }: { readonly event: unknown }) => {
      const state = number === 0 ? machine.stateOfTimer(0, eventType(event)) : null;
      return state === null || !left.has(state);
    };
    const [expected, found] = [then, now].map((all) =>
      all
        .filter(stays)
        .map(({ event, delay }) => `${eventType(event)} after ${delay} ms`)
        .toSorted()
        .join(', '),
    ) as [string, string];
    if (expected !== found)
      return parted(last, { is: 'delays', at: '', expected: expected || 'no delay', found: found || 'no delay' });
  }
  return null;
}

/** The arguments of a call, from the input of its actor: a call of a toolbox gets a part of the input. */
export function argsOf(input: unknown, src: string | null, name: string): unknown {
  const { tool, input: own } = (input ?? {}) as { readonly tool?: unknown; readonly input?: unknown };
  return src !== null && name === `${src}/${String(tool)}` ? own : input;
}
