/** What no run may do to its world, however it ends: judged without the product. */
import { type Ending, vetoes } from '../../src/index.ts';
import { waysOf } from './ends.ts';
import { callsIn, type Program, type Words } from './programs.ts';
import type { Counterparties } from './world.ts';

/** A run, as its world and its last word tell it. */
interface Ran {
  readonly world: Counterparties;
  /** Null where it goes on. */
  readonly ending: Ending | null;
  /** Every version that GO has had. */
  readonly versions: readonly Words[];
  readonly inputs: readonly number[];
  /** The number of deeds in the world when the end of the run was said to be durable; null where nobody ended it. */
  readonly endedAt: number | null;
}

/** What is wrong in the world of a run; null where nothing is. */
export function wrongIn(program: Program, ran: Ran): { readonly is: string; readonly why: string } | null {
  const { world, ending, endedAt } = ran;
  const [fault] = world.faults;
  if (fault !== undefined) return { is: 'world', why: fault };
  const late = endedAt === null ? undefined : world.deeds.slice(endedAt).find((deed) => deed.startsWith('calls'));
  if (late !== undefined) return { is: 'late', why: `${late}, behind the end of the run` };
  const isNo = [...callsIn(program).values()].some(({ skip }) => skip !== undefined);
  // What was discarded and cannot be undone stands beside what is done again in its place (PA11); the end alone names it.
  if (program.rounds === undefined && (!isNo || ending?.status === 'done')) {
    const twice = world.besides(namedIn(ending)).find((act, nth, all) => all.indexOf(act) !== nth);
    if (twice !== undefined) return { is: 'twice', why: `${twice} stands twice` };
  }
  if (ending?.status === 'compensated') return wrongWhereCompensated(world, ending);
  if (ending?.status === 'done') return null;
  const legal = new Set(
    ran.versions.flatMap((words) => ran.inputs.flatMap((input) => [...waysOf(program, { words, isNo, input }).acts])),
  );
  const illegal = world.standing.find((act) => !legal.has(act));
  return illegal === undefined ? null : { is: 'illegal', why: `${illegal} stands, and no run makes it` };
}

/** The keys of the calls that stand though no work of a run has them, as its end names them (PA11). */
export function namedIn(ending: Ending | null): readonly string[] {
  return ending !== null && 'standing' in ending ? (ending.standing ?? []) : [];
}

/** What can be undone is undone, and what stands is named (AB7, AB8). */
function wrongWhereCompensated(world: Counterparties, { stands }: Extract<Ending, { status: 'compensated' }>) {
  const named = new Set(stands.map(({ key }) => key));
  for (const [key, kind] of world.keys) {
    if (kind === 'reversible') return { is: 'not undone', why: `${key} can be undone, and stands` };
    if (!named.has(key)) return { is: 'not named', why: `${key} stands, and the end does not name it` };
  }
  const gone = [...named].find((key) => !world.keys.has(key));
  return gone === undefined ? null : { is: 'named', why: `${gone} is named, and does not stand` };
}

/** Why a run stands still, in codes. */
export function reasonOf(ending: Ending): string {
  if (ending.status !== 'parked' && ending.status !== 'stuck') return ending.status;
  const codes = [...vetoes(ending.decision)].map(({ code }) => code);
  return `${ending.decision.verdict} ${[...new Set(codes)].sort().join(', ')}`;
}
