/** The mutants of the rules about why a call was made, and about tools that decide (semantics.md WH1 to WH3). */
import type { Mutant } from './mutant.ts';

const WHY = { run: 'tests', file: 'test/why/why.test.ts' } as const;
const DECIDING = { run: 'tests', file: 'test/why/deciding.test.ts' } as const;
const KEPT = { run: 'tests', file: 'test/why/kept-answers.test.ts' } as const;

export const OF_WHY: readonly Mutant[] = [
  {
    rule: 'WH1',
    file: 'projection/relied-reads.ts',
    off: 'a call rests on all that the step which made it has read',
    find: 'if (!isOfCall(mark)) behind = number;',
    replace: '',
    by: WHY,
  },
  {
    rule: 'WH1',
    file: 'projection/relied-reads.ts',
    off: 'what a call reads as a restore starts it again is no reason of it',
    find: 'return since.filter(({ entry }) => entry !== null && eventType(entry.event) === RESTART);',
    replace: 'return since.slice(since.length);',
    by: WHY,
  },
  {
    rule: 'WH1',
    file: 'reports/why.ts',
    off: 'what the step that kept an answer has read is no reason of it',
    find: 'return [...asked, ...this.#versions(own)];',
    replace: 'return [...asked, ...this.#versions(own.slice(own.length))];',
    by: WHY,
  },
  {
    rule: 'WH2',
    file: 'reports/why.ts',
    off: 'what was seen outside was given by the first context of the machine',
    find: 'const writes = isOut ? all.filter(({ key }) => isExternal(key)) : all;',
    replace: 'const writes = all;',
    by: WHY,
  },
  {
    rule: 'WH3',
    file: 'effects/deciding.ts',
    off: 'an equal question is asked anew',
    find: 'if (kept !== null) {',
    replace: 'if (kept !== null && kept.at !== null) {',
    by: DECIDING,
  },
  {
    rule: 'WH3',
    file: 'effects/ledger.ts',
    off: 'another question has the answer of the first',
    find: 'call.place, { asks: call.digest }];',
    replace: 'call.place, { asks: call.digest.length }];',
    by: DECIDING,
  },
  {
    rule: 'WH3',
    file: 'effects/ledger-call.ts',
    off: 'an answer that was found wrong is served again',
    find: "return decides || intent.class === 'idempotent';",
    replace: "return intent.class === 'idempotent';",
    by: KEPT,
  },
  {
    rule: 'WH3',
    file: 'effects/deciding.ts',
    off: 'an answer that comes after its unit went back is kept',
    find: "if (call.signal.aborted || port.cancelled() || port.stopping()) return { is: 'dropped' };\n  const key",
    replace: "if (port.stopping()) return { is: 'dropped' };\n  const key",
    by: KEPT,
  },
  {
    rule: 'WH3',
    file: 'effects/displaced-calls.ts',
    off: 'a decision that no replay has taken over blocks like an act',
    find: "return !decides && (status === 'confirmed'",
    replace: "return (status === 'confirmed'",
    by: KEPT,
  },
  {
    rule: 'WH3',
    file: 'sidecar/queries/recorded-answers.ts',
    off: 'a decision is asked for again where the answer of another call was found wrong',
    find: '!(decides ? wrote.isAnswered : wrote.isRecorded);',
    replace: '!wrote.isRecorded;',
    by: KEPT,
  },
];
