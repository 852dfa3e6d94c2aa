/** Programs that begin with what their input says. */
import { call, GO } from './nodes.ts';
import { CLASSES, type Node, type Program } from './programs.ts';

/** Programs that begin with what their input says: a call and one behind it, beside up to one in another region. */
export function* input(): Generator<Program> {
  const besides = [null, [], ['q'], ['ka0']];
  const reading = [[], ['q']].flatMap((reads) => [[], ['q'], ['ka0']].map((after) => [reads, after] as const));
  for (const kind of CLASSES)
    for (const [reads, after] of reading)
      for (const beside of besides) {
        const others = beside === null ? [] : [[call(beside, kind)]];
        yield { regions: [[call(reads, kind), call(after, kind)], ...others], handler: false, input: true };
      }
  yield* chosen();
}

/** Programs that choose by what their input says, with up to a call behind that, or a wait for other words and a call. */
function* chosen(): Generator<Program> {
  const behind = [[], [call(['q'])], [GO, call(['q'])]];
  for (const kind of CLASSES)
    for (const other of CLASSES)
      for (const nodes of behind) {
        const branch: Node = { is: 'branch', yes: call(['q'], kind), no: call([], other) };
        yield { regions: [[branch, ...nodes]], handler: false, input: true };
      }
}
