/** Little programs with a tool that decides before, behind and beside acts of each class (semantics.md WH3), and the scenarios of each. */
import { call, GO } from '../steering/nodes.ts';
import { CLASSES, type Class, callsIn, type Node, type Program } from '../steering/programs.ts';
import { play, type Scenario } from '../steering/scenario.ts';

const KINDS: readonly Class[] = [...CLASSES, 'deciding'];

/** One region: a decision and an act in either order, before, around and behind the wait, as one unit or as two. */
function* inARow(): Generator<Program> {
  for (const kind of KINDS)
    for (const joined of [false, true]) {
      const rows: readonly (readonly Node[])[] = [
        [call([], 'deciding'), GO, call(['q', 'ka0'], kind)],
        [call([], 'deciding'), call(['ka0'], kind), GO, call(['q'])],
        [GO, call(['q'], 'deciding'), call(['ka1'], kind)],
        [GO, call([], 'deciding'), call(['q', 'ka1'], kind)],
        [call([], kind), GO, call(['ka0', 'q'], 'deciding')],
        [GO, call(['q'], kind), call(['ka1'], 'deciding')],
        [GO, call([], kind), call([], 'deciding')],
      ];
      for (const row of rows) yield { regions: [row], handler: false, ...(joined && { joined }) };
    }
}

/** Two regions: a decision beside an act, of which one reads the other. */
function* beside(): Generator<Program> {
  for (const kind of KINDS)
    for (const joined of [false, true]) {
      const more = { handler: false, ...(joined && { joined }) };
      yield { regions: [[GO, call(['q'], 'deciding')], [call(['ka1'], kind)]], ...more };
      yield { regions: [[GO, call(['q'], kind)], [call(['ka1'], 'deciding')]], ...more };
      yield { regions: [[call([], 'deciding'), GO, call(['ka0'], kind)], [call(['ka0'], kind)]], ...more };
    }
}

/** The event is taken in every state, and moves no control. */
function* anywhere(): Generator<Program> {
  for (const kind of KINDS)
    for (const joined of [false, true])
      for (const [before, behind] of [
        [call(['q'], 'deciding'), call(['ka0'], kind)],
        [call([], 'deciding'), call(['q', 'ka0'], kind)],
        [call(['q'], kind), call(['ka0'], 'deciding')],
      ] as const)
        yield { regions: [[before, behind]], handler: true, ...(joined && { joined }) };
}

/** The families, by their names. */
export const DECIDING: Readonly<Record<string, () => Generator<Program>>> = { row: inARow, beside, anywhere };

const ACTS = [['revise', 1.5] as const, ['revise', 2] as const, ['retract', 0] as const, null];

/** Every scenario of a program: an act on its event or none, a complaint about a call or none, each at each moment. */
export function decidingScenarios(program: Program): Scenario[] {
  const orders = program.regions.length === 1 ? [[]] : [[], [1], [0, 1]];
  return orders.flatMap((order) =>
    [true, false].flatMap((actsAtOnce) => ACTS.flatMap((said) => scenariosWith({ program, order, actsAtOnce }, said))),
  );
}

type Playing = Pick<Scenario, 'program' | 'order' | 'actsAtOnce'>;

function scenariosWith(one: Playing, said: (typeof ACTS)[number]): Scenario[] {
  const [act, to] = said ?? (['revise', 0] as const);
  const wrongs = said === null ? complaintsOf(one.program) : [{}, ...complaintsOf(one.program)];
  const moments = said === null ? [99] : momentsOf(one.program);
  return moments.flatMap((actAt) => wrongs.map((wrong) => ({ ...one, ...wrong, sendAt: 0, act, to, actAt })));
}

function momentsOf({ regions }: Program): number[] {
  return Array.from({ length: regions.flat().length + 1 }, (_, at) => at);
}

function complaintsOf(program: Program): Pick<Scenario, 'wrong'>[] {
  return [...callsIn(program).keys()].flatMap((call) => momentsOf(program).map((at) => ({ wrong: { call, at } })));
}

/** Plays a scenario. What ends wrong in the same way where the tool decides nothing is named `alike`: no answer that was kept has led to it. */
export async function judged(scenario: Scenario): Promise<{ readonly verdict: string; readonly why: string }> {
  const judgment = await play(scenario);
  if (!judgment.verdict.startsWith('unsafe') || judgment.verdict === 'unsafe: decided') return judgment;
  const plain = await play({ ...scenario, program: withoutDecisions(scenario.program) });
  return plain.verdict === judgment.verdict ? { verdict: `alike, ${plain.verdict}`, why: plain.why } : judgment;
}

function withoutDecisions(program: Program): Program {
  const plain = (node: Node): Node =>
    node.is === 'call' && node.class === 'deciding' ? { ...node, class: 'none' } : node;
  return { ...program, regions: program.regions.map((nodes) => nodes.map(plain)) };
}
