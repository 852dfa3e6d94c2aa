/** What commits say: the message of a boundary, as its commit certifies (semantics.md SP1). */

import type { Boundary } from '../../boundaries/config.ts';
import { commitIdOf } from '../../effects/keys.ts';
import { commits } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entry.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { namedMarks, type StepEntry } from '../../model/step-entry.ts';
import type { RunParts } from '../parts.ts';

/** The longest message, in UTF-16 units; of a longer one, the beginning is kept. */
const LONGEST = 1_000;

type Needs = Pick<RunParts, 'run' | 'config' | 'runState' | 'onCommit'>;

/** The entries of the commits that a step has certified, where they say something, or the program is told of them. */
export function committedBy(parts: Needs, step: StepEntry): Entry[] {
  const { config } = parts;
  return namedMarks(step).flatMap(({ mark, boundary: name }) => {
    if (mark.do !== 'boundary' || !commits(mark.kind) || name === undefined || name === '') return [];
    const boundary = config.skeletons.get(mark.in.skeleton)?.boundaries.find(({ id }) => id === name);
    return boundary === undefined ? [] : committed(parts, step.actor, mark.in, boundary);
  });
}

function committed(parts: Needs, actor: number, instance: InstanceId, { id, message }: Boundary): Entry[] {
  const { run, runState, onCommit } = parts;
  const at = runState.history.registry.get(instance)?.committed?.at;
  if (at === undefined || (message === null && onCommit === null)) return [];
  const memory = runState.actor(actor).context;
  const facts = { state: '', action: '', args: null, entity: instance.entity, memory, event: null };
  const said = message?.evaluate(facts) ?? null;
  const name = commitIdOf(JSON.stringify([run, instanceName(instance), id, at]), runState.ledger.secret);
  const entry: Entry = {
    ...{ do: 'committed', id: name, instance, actor, boundary: id, at },
    ...(said !== null && 'value' in said && { text: shortened(said.value) }),
    ...(onCommit !== null && { due: true as const }),
  };
  if (said === null || 'value' in said) return [entry];
  const text = `the commit ${id} of ${instanceName(instance)} has no message: ${said.reason}`;
  return [entry, { do: 'finding', code: 'no_message', instance, text, boundary: id }];
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}...`;
}
