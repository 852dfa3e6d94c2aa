/** Edits are changes as the journal has them: with who made them. */
import type { Change } from '../history/context.ts';
import type { Edit } from '../model/step-entry.ts';

/** An edit as a change to fold. */
export function changeOf({ op, path, value }: Edit): Change {
  switch (op) {
    case 'set':
      return { op, path, value };
    case 'append':
      return { op, path, values: value as readonly unknown[] };
    case 'delete':
      return { op, path };
  }
}

/** A change as an edit by the parties with these indices. */
export function editOf(change: Change, by: readonly number[]): Edit {
  const { op, path } = change;
  if (op === 'delete') return { op, path, by };
  return { op, path, value: op === 'set' ? change.value : change.values, by };
}
