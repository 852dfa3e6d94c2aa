/** All faults of the toys, without and with a process that dies: run a few at a time, judged and counted. */
import type { Toy } from './toys.ts';
import { type Course, course, type Fault } from './trial.ts';

/** One fault, and the append at which the process dies. */
interface Trial {
  readonly fault: Fault | null;
  readonly dies: number | null;
}

/** How many trials ended how. */
export interface Swept {
  trials: number;
  /** With the world and the state of the run without faults. */
  same: number;
  /** With the reason. */
  parked: number;
  /** What was found wrong after the last act is heard by nobody. */
  unheard: number;
  readonly wrong: { readonly trial: Trial; readonly found: Course }[];
}

/** The park of a call of which nothing tells what became. */
const REASONS = /\((?:effect_outcome_unknown|unclaimed_effect)/;

const faults = new Map<Toy, readonly Fault[]>();

/** The faults of a toy: each kind at the first call of each tool; found wrong at once, later and at the end. */
function faultsOf(toy: Toy): readonly Fault[] {
  const { tools } = toy;
  const known = faults.get(toy);
  if (known !== undefined) return known;
  const all = tools.flatMap((tool): Fault[] => [
    { is: 'lost reply', tool },
    { is: 'throws', tool },
    { is: 'times out', tool },
    ...(tool === tools.at(-1) ? [] : [1, 2, 4].map((after): Fault => ({ is: 'found wrong', tool, after }))),
  ]);
  faults.set(toy, all);
  return all;
}

const alive = new Map<Toy, Map<Fault | null, Promise<Course>>>();

/** The course of a process that lives under a fault, or under none; run once. */
export function living(toy: Toy, fault: Fault | null): Promise<Course> {
  const known = alive.get(toy) ?? new Map<Fault | null, Promise<Course>>();
  alive.set(toy, known);
  const made = known.get(fault) ?? course(toy, fault, null);
  known.set(fault, made);
  return made;
}

/** Runs each fault of a toy with a process that lives. Whatever is parked is wrong: all can be asked about and undone. */
export function sweepFaults(toy: Toy): Promise<Swept> {
  return sweep(
    toy,
    faultsOf(toy).map((fault) => ({ fault, dies: null })),
  );
}

/** Runs each fault, and none, with a process that dies. @param every at each so manieth append. */
export async function sweepKills(toy: Toy, every: number): Promise<Swept> {
  const trials = await atOnce([null, ...faultsOf(toy)].entries(), async ([nth, fault]) => {
    const { appends } = await living(toy, fault);
    const moments = Array.from({ length: appends }, (_, dies) => dies);
    return moments.filter((dies) => (dies + nth * 3) % every === 0).map((dies): Trial => ({ fault, dies }));
  });
  return sweep(toy, trials.flat());
}

async function sweep(toy: Toy, trials: readonly Trial[]): Promise<Swept> {
  const right = await living(toy, null);
  const swept: Swept = { trials: trials.length, same: 0, parked: 0, unheard: 0, wrong: [] };
  const found = await atOnce(trials, ({ fault, dies }) =>
    dies === null ? living(toy, fault) : course(toy, fault, dies),
  );
  for (const [nth, each] of found.entries()) {
    const { why, state, world, isUnheard } = each;
    const trial = trials[nth] as Trial;
    const isSame = state === right.state && JSON.stringify(world) === JSON.stringify(right.world);
    if (isUnheard) swept.unheard += 1;
    else if (why === null && isSame) swept.same += 1;
    else if (why !== null && trial.dies !== null && REASONS.test(why)) swept.parked += 1;
    else swept.wrong.push({ trial, found: each });
  }
  return swept;
}

/** Runs trials side by side, a few at a time: most of them wait. */
async function atOnce<T, Found>(trials: Iterable<T>, run: (trial: T) => Promise<Found>): Promise<Found[]> {
  const [left, found] = [[...trials].entries(), [] as Found[]];
  const worker = async () => {
    for (const [nth, trial] of left) found[nth] = await run(trial);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return found;
}
