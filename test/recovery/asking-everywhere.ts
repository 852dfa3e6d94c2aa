/** Asks the decision about a recorded run at each line of its trace, for every instance and kind of key that it has. */
import { TracedControl } from '../../src/history/control-trace.ts';
import { History } from '../../src/history/history.ts';
import { type TraceLine, traceReader } from '../../src/history/trace.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { POLICIES, type Rules } from '../../src/model/decision.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import { type Key, parseKey } from '../../src/model/key.ts';
import { type Circumstances, decide, knownOf } from '../../src/recovery/decide.ts';
import { explain } from '../../src/recovery/explain.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { traceOf } from '../../src/reports/trace.ts';

/** A question that was not answered. */
interface Thrown {
  readonly line: number;
  readonly failure: Failure;
  readonly rules: Rules;
  readonly error: unknown;
}

/** How many questions were asked, by the verdict that each was answered with, and those that threw. */
export interface Answered {
  readonly verdicts: Record<string, number>;
  readonly thrown: Thrown[];
}

const read = traceReader();
const ALL_RULES: readonly Rules[] = POLICIES.flatMap((policy) =>
  (['none', 'all'] as const).map((joint) => ({ policy, joint })),
);

/** One trace, as far as it has been read. */
class Asked {
  readonly history = new History();
  readonly control = new TracedControl(this.history);
  readonly keys = new Map<string, Key>();

  take(line: TraceLine): void {
    if (line.do === 'knows') this.control.take(line.of);
    if (line.do === 'fail') this.control.asked();
    if (line.do !== 'event') return;
    const { event, region } = line;
    if (event.do === 'enter') this.control.enter(event.in, region);
    this.history.apply(event);
    if (event.do === 'write' || event.do === 'read') this.keys.set(event.key.text, event.key);
  }
}

/** Asks about a run at each line of its trace. @param every one question in so many is asked, another one at each line. */
export function askEverywhere(rows: Iterable<StoredRow>, every: number, answered: Answered): void {
  let trace = new Asked();
  let [number, turn] = [0, 0];
  for (const { text } of traceOf('r', rows)) {
    const line = read(text);
    number += 1;
    if (line.do === 'trace') trace = new Asked();
    else trace.take(line);
    const { history, control, keys } = trace;
    for (const failure of failuresOf(history, [...keys.values()]))
      for (const rules of ALL_RULES) {
        turn += 1;
        if (turn % every !== 0) continue;
        ask(history, failure, rules, aroundOf(control, history, failure), number, answered);
        ask(history, failure, rules, undefined, number, answered);
      }
  }
}

/** The circumstances of a question, which is not the one that the trace goes on to ask. */
function aroundOf(control: TracedControl, history: History, failure: Failure): Circumstances {
  const { suspects, unavailable } = control;
  const around = knownOf(control, history, failure);
  control.suspects = suspects;
  control.unavailable = unavailable;
  return around;
}

/** Everything that may be said to be wrong: each instance with each key, one that never began, and none at all. */
function* failuresOf(history: History, keys: readonly Key[]): Generator<Failure> {
  yield { in: null, key: null, why: 'fits_nobody' };
  yield { in: null, key: null, why: 'fits_several' };
  const known = [...history.registry.all()].map(({ id }): InstanceId => id);
  const [first] = known;
  const strangers: InstanceId[] = [{ skeleton: 'None', entity: 'it', ordinal: 0 }];
  if (first !== undefined) strangers.push({ ...first, ordinal: first.ordinal + 1_000 });
  for (const id of [...known, ...strangers])
    for (const key of [null, parseKey('never/written'), parseKey('**'), parseKey('*'), ...keys]) yield { in: id, key };
}

function ask(
  history: History,
  failure: Failure,
  rules: Rules,
  around: Circumstances | undefined,
  line: number,
  { verdicts, thrown }: Answered,
): void {
  try {
    const decision = decide(history, failure, rules, around);
    explain(decision);
    for (const { code } of vetoes(decision)) if (code === undefined) throw new Error('a veto without a code');
    verdicts[decision.verdict] = (verdicts[decision.verdict] ?? 0) + 1;
  } catch (error) {
    thrown.push({ line, failure, rules, error });
  }
}
