/**
 * Enumerates complaints without a key about work that is over (EX1 to EX3), and says by the shape of a machine alone who is behind that
 * work: whoever was called after it in its region. The config has every exit restored, or none, and one tool may be in no skeleton.
 */
import type { Decision } from 'belay-sidecar';
import type { RunResult } from './driver.ts';
import { caseText, digest, type EnumeratedCase, type Prefix, prefixesOf } from './failures.ts';
import {
  type CallName,
  callText,
  type LittleMachine,
  type Part,
  pieces,
  skeletonOf,
  toolsIn,
  unitOf,
} from './little-machine.ts';

/** A complaint about finished work, under one config. */
export interface ExitCase {
  readonly one: EnumeratedCase;
  readonly exits: boolean;
  readonly bare: string | null;
}

/** What a complaint about finished work has to be answered. */
export interface ExpectedExit {
  /** The skeletons that are behind the work. */
  readonly behind: ReadonlySet<string>;
  /** True where an act of no unit behind the work cannot be taken back, or may not be. */
  readonly isHeld: boolean;
  /** The calls without an effect, of no unit, that were answered behind the work: they are made again. */
  readonly again: readonly string[];
}

/** Every such complaint of a machine: at each moment at which the work is over and the run is not. */
export function* exitCasesOf(machine: LittleMachine): Generator<ExitCase> {
  for (const bare of [null, ...bareTools(machine)])
    for (const prefix of prefixesOf(machine, null)) if (!prefix.isOver) yield* casesAt(machine, prefix, bare);
}

function* casesAt(machine: LittleMachine, prefix: Prefix, bare: string | null): Generator<ExitCase> {
  const times = prefix.inFlight.length > 0 ? (['at once', 'with the reply'] as const) : (['at once'] as const);
  for (const call of finished(machine, prefix, bare))
    for (const acts of times)
      for (const exits of [true, false]) {
        const drawn = { machine, heard: prefix.heard, kind: 'finished work', call, acts, next: 'oldest' } as const;
        const id = digest(`${caseText(drawn)} ${bare} ${exits}`);
        yield { one: { ...drawn, id }, exits, bare };
      }
}

/** What is expected of a complaint, by the shape of its machine. */
export function expectedExit({ one, bare }: ExitCase): ExpectedExit {
  const { machine, call, heard } = one;
  const { inFlight } = prefixesOf(machine, one.kind === 'finished work' ? null : callText(call)).find(
    (prefix) => prefix.heard.join(' ') === heard.join(' '),
  ) as Prefix;
  const since = heard.slice(heard.lastIndexOf(callText(call)) + 1).filter((name) => name !== 'X');
  const later = [...since.map(named), ...inFlight].filter((other) => isAfter(machine.body, call.tool, other.tool));
  const behind = new Set(later.filter(({ tool }) => tool !== bare).map(({ tool }) => skeletonOf(machine, tool)));
  const inChild = pieces(machine.body).flatMap((part) => (part.is === 'child' ? toolsIn(part.body) : []));
  // The work around a child machine begins with it, and is over with its last call.
  if (inChild.at(-1) === call.tool || later.some(({ tool }) => inChild.includes(tool))) behind.add('CHILD');
  const isHeld = later.some(({ tool }) => {
    const effect = machine.tools.find(({ name }) => name === tool)?.class;
    return tool === bare && effect !== 'none' && effect !== 'idempotent';
  });
  // An idempotent call is answered from the ledger.
  const isAskedAnew = machine.tools.some((tool) => tool.name === bare && tool.class === 'none');
  const again = since.filter(
    (name) => isAskedAnew && later.some((other) => callText(other) === name && other.tool === bare),
  );
  return { behind, isHeld, again };
}

/** Where a run has answered a complaint otherwise than expected: null where it has not. */
export function difference(drawn: ExitCase, expected: ExpectedExit, { decisions, world }: RunResult): string | null {
  const [first] = decisions;
  if (first === undefined) return 'it was not decided';
  const refusal = first.refusals.find((each) => 'code' in each && each.code === 'exit_not_restorable');
  const kept = keptOf(first);
  if (!drawn.exits) return refusal === undefined || kept === 'exit' ? 'an exit was restored without a policy' : null;
  if (expected.behind.size > 0) {
    const named = refusal !== undefined && 'behind' in refusal ? refusal.behind?.skeleton : undefined;
    const isNamed = kept !== 'exit' && named !== undefined && expected.behind.has(named);
    return isNamed ? null : `it went back to ${kept}, and ${named ?? 'nobody'} is said to be behind`;
  }
  if (expected.isHeld) return refusal === undefined ? null : 'an exit with nobody behind it was refused';
  if (kept !== 'exit') return `it went back to ${kept}, and nobody is behind its exit`;
  return notKept(drawn, expected, world);
}

/** What a restore to an exit has not kept, or not done again: null where it has. */
function notKept(drawn: ExitCase, expected: ExpectedExit, world: RunResult['world']): string | null {
  const tools = unitOf(drawn.one.machine, drawn.one.call.tool);
  const own = world.acts.filter(({ call }) => tools.includes(call.tool) && call.pass === drawn.one.call.pass);
  if (own.some(({ undone, isLater }) => undone || isLater)) return 'what its work did was undone, or done again';
  const log = world.log.slice(world.log.findIndex((line) => line.startsWith('failure: ')));
  const left = expected.again.filter((name) => !log.some((line) => line.startsWith(`call ${name} `)));
  return left.length === 0 ? null : `${left.join(' and ')} behind the exit was not made again`;
}

function keptOf({ line, failed }: Decision): string {
  const move = line?.moves.find(({ instance }) => instance.skeleton === failed?.skeleton);
  return move === undefined ? 'nothing' : move.keep === 'none' ? 'none' : move.keep.kind;
}

/** The tools that a config may leave out of every skeleton: those that share none. */
function bareTools(machine: LittleMachine): readonly string[] {
  const inChild = pieces(machine.body).flatMap((part) => (part.is === 'child' ? toolsIn(part.body) : []));
  return machine.tools.flatMap(({ name }) =>
    unitOf(machine, name).length === 1 && !inChild.includes(name) && machine.tools.length > 1 ? [name] : [],
  );
}

/** The last calls of the units that are over, each occurrence once. */
function finished(machine: LittleMachine, { heard }: Prefix, bare: string | null): readonly CallName[] {
  const names = [...new Set(heard.filter((name) => name !== 'X'))].map(named);
  return names.filter(({ tool }) => tool !== bare && unitOf(machine, tool).at(-1) === tool);
}

function named(text: string): CallName {
  const [tool, pass] = text.split('#') as [string, string | undefined];
  return { tool, pass: pass === undefined ? null : Number(pass) };
}

/** True where both tools are in one region at some place: the smallest part around both has no regions side by side. */
function isAfter(part: Part, one: string, other: string): boolean {
  const around = pieces(part).filter((each) => toolsIn(each).includes(one) && toolsIn(each).includes(other));
  const smallest = around.reduce((least, each) => (pieces(each).length < pieces(least).length ? each : least), part);
  return smallest.is !== 'parallel';
}
