/**
 * The state of a run for comparing it with another: the values themselves, and no wall clock, which a row has by its
 * group alone.
 */
import { split } from '../../model/region.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import type { RunState } from '../run-state.ts';
import { savedRun } from './run.ts';

/**
 * The members that two states of a run have in common where they are the same. Contexts that are kept to save work are left out. Nothing is paged
 * out afterwards.
 * @param told makes of the entry of a step what is compared.
 */
export function plainRun(runState: RunState, told: (entry: StepEntry) => unknown = (entry) => entry): unknown {
  runState.pages.allIn();
  const { contexts, actors, ...rest } = savedRun(runState, {
    entry: (entry) => entry,
    step: ({ entry }) => entry && told(whole(entry)),
    intent: ({ intent }) => intent,
    output: ({ output }) => (output === undefined ? null : [output]),
    value: (value) => value,
    time: () => 0,
    numbers: (list) => [...list],
  });
  return { ...rest, actors, present: contexts.present };
}

/** A step with the fields filled in that are left out when they follow from the rest. */
function whole(entry: StepEntry): StepEntry {
  const { parties, moves = parties.map(({ region }) => split(region)[1]), looks = [], ties = [] } = entry;
  return { ...entry, moves: [...new Set(moves)].sort(), looks, ties };
}
