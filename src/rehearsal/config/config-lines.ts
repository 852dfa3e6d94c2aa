/** The lines of a config that a fault is about. */
import { type ConfigDocument, field, itemsOf, nearest, textOf } from '../../boundaries/page/document.ts';
import type { Place } from '../../boundaries/page/finding.ts';
import type { RehearsedFault } from '../faults/fault.ts';

/** The place of the tool or of the boundary of a fault; of the whole file for kills, events and acts on them, and where nothing is declared. */
export function placeOf({ root }: ConfigDocument, fault: RehearsedFault): Place {
  if (root === null) return { line: 1, column: 1 };
  const path = pathOf(root, fault);
  return path === null ? { line: 1, column: 1 } : nearest(root, path).at;
}

function pathOf(root: Parameters<typeof nearest>[0], fault: RehearsedFault): readonly string[] | null {
  switch (fault.kind) {
    case 'call':
    case 'approval':
    case 'restart':
      return ['tools', fault.tool];
    case 'wrong': {
      const { skeleton } = fault.instance;
      const declared = field(field(root, 'skeletons'), skeleton);
      for (const kind of ['commit', 'exit']) {
        const index = itemsOf(field(declared, kind)).findIndex((item) => textOf(field(item, 'id')) === fault.boundary);
        if (index >= 0) return ['skeletons', skeleton, kind, String(index)];
      }
      return ['skeletons', skeleton];
    }
    case 'timer':
      return fault.call === null ? null : ['tools', fault.call.tool];
    case 'event':
    case 'steer':
    case 'kill':
      return null;
  }
}
