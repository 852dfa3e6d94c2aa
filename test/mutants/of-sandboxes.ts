/** The mutants of the rules about sandboxes (semantics.md SB1 to SB7). */
import type { Mutant } from './mutant.ts';

const BOXES = { run: 'tests', file: 'test/sandboxes/sandboxes.test.ts' } as const;

export const OF_SANDBOXES: readonly Mutant[] = [
  {
    rule: 'SB1',
    file: 'projection/sandboxes.ts',
    off: 'each start is one of another sandbox',
    find: 'if (known?.key === entry.key) Object.assign',
    replace: "if (known?.key === entry.key && known.is === 'gone') Object.assign",
    by: BOXES,
  },
  {
    rule: 'SB2',
    file: 'sidecar/calls/sandboxes.ts',
    off: 'a start of unknown outcome is given up for another',
    find: 'if (box.handle === null) return this.#startAgain(box, tried);',
    replace: "if (box.handle === null) return { is: 'failed', why: tried.why };",
    by: BOXES,
  },
  {
    rule: 'SB3',
    file: 'sidecar/calls/sandboxes.ts',
    off: 'a sandbox that starts is waited for without end',
    find: 'this.#parts.now() - box.since <= rules.ready',
    replace: 'this.#parts.now() - box.since <= Number.POSITIVE_INFINITY',
    by: BOXES,
  },
  {
    rule: 'SB4',
    file: 'sidecar/calls/sandboxes.ts',
    off: 'what is gone with a sandbox counts as done',
    find: 'if (taken.length > 0) this.#onLost();',
    replace: '',
    by: BOXES,
  },
  {
    rule: 'SB4',
    file: 'sidecar/calls/sandboxes.ts',
    off: 'a run ends without asking whether its sandbox is there',
    find: "if (state.is !== 'gone') return null;\n    return (await",
    replace: 'if (state !== null) return null;\n    return (await',
    by: BOXES,
  },
  {
    rule: 'SB5',
    file: 'sidecar/calls/sandboxes.ts',
    off: 'a run that stands still keeps its sandbox running',
    find: 'if (!this.#isStill) return;',
    replace: 'if (this.#isStill) return;',
    by: BOXES,
  },
  {
    rule: 'SB6',
    file: 'sidecar/calls/undoing.ts',
    off: 'what is gone with a sandbox is undone once more in the next',
    find: "if (this.#parts.runState.ledger.get(call.key)?.status === 'compensated') return null;",
    replace: "if (call.undo === null) return null;\n      return 'lost';",
    by: BOXES,
  },
  {
    rule: 'SB7',
    file: 'workers/sweep-sandboxes.ts',
    off: 'the sandbox of a run that goes on is destroyed',
    find: "if (!(await isOver(store, run))) return 'its run has not ended';",
    replace: 'await isOver(store, run);',
    by: BOXES,
  },
];
