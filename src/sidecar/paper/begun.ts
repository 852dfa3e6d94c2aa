/** The first step of a run with another input, as its machine takes it on paper (semantics.md ST3). */
import { withComputed } from '../../boundaries/computed.ts';
import { encode } from '../../journal/codec.ts';
import { isOfActors } from '../../journal/lost.ts';
import type { Begun } from '../../model/entry.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Enterable, Machines } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import { PaperMachine } from './paper-machine.ts';
import { compared, takesOut } from './same-step.ts';

/**
 * The first step of a run with another input. Null if that step then goes elsewhere, starts other actors or throws, or
 * if its result holds an actor: actors on paper are not the run's, so no other machine could have the result.
 */
export function begunWith(
  { runState, config }: Pick<RunParts, 'runState' | 'config'>,
  machines: Machines,
  event: unknown,
): Begun | null {
  const entry = runState.places.first?.entry ?? null;
  if (entry === null || !isOneWrite(entry.edits)) return null;
  const machine = new PaperMachine(machines);
  try {
    machine.begin((event as { readonly input?: unknown }).input);
    const [micro] = machine.ahead(0);
    if (machine.hasThrown || micro === undefined || !takesOut(entry, compared(micro))) return null;
    const inputs = entry.started.flatMap(({ id, src, kind, input }, place) => {
      const given = micro.started.find((one) => one.id === id)?.input;
      const now = withComputed(config, kind === 'promise' ? src : null, given);
      return isEqual(now, input) ? [] : [[place, now] as const];
    });
    const begun = { context: micro.context, inputs };
    const codecs = runState.codecs.filter((codec) => !isOfActors(codec));
    return 'text' in encode(begun, { codecs }) ? begun : null;
  } catch {
    return null;
  } finally {
    machine.stop();
  }
}

/** The first step of a program with another input: it goes nowhere else, and starts nothing. Null where no journal can hold it. */
export function enteredWith(
  { runState }: Pick<RunParts, 'runState'>,
  program: Enterable,
  event: unknown,
): Begun | null {
  const entry = runState.places.first?.entry ?? null;
  if (entry === null || !isOneWrite(entry.edits)) return null;
  const context = program.begunWith((event as { readonly input?: unknown }).input);
  if (context === undefined) return null;
  const begun = { context, inputs: [] };
  return 'text' in encode(begun, { codecs: runState.codecs }) ? begun : null;
}

/** True where the first step has written its context as a whole. */
function isOneWrite(edits: RecordedStep['edits']): boolean {
  const [edit] = edits;
  return edits.length === 1 && edit?.op === 'set' && edit.path.length === 0;
}
