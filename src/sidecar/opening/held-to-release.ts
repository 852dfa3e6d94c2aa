/**
 * The hold of a run to its release: refuses a program, a config or a move that does not belong to the run (semantics.md
 * CO3).
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { EntryDecoder } from '../../journal/entry-codec.ts';
import type { Journal } from '../../journal/journal.ts';
import { isUnder } from '../../journal/work.ts';
import type { Digests } from '../../model/entry.ts';
import type { Renames } from '../../model/renames.ts';
import type { RunState } from '../../projection/run-state.ts';
import { SilentWatcher } from '../../runtime/silent-watcher.ts';
import { type Naming, planning } from '../migration/names.ts';
import { planRun, type RunPlan, stayText } from '../migration/plan.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { RunOptions } from './options.ts';
import type { Program } from './program.ts';

/** The plan of a run that is taken up; one that has ended goes nowhere. */
export function planOf(
  program: Program,
  runState: RunState,
  config: BoundaryConfig,
  naming: Naming = { back: false },
  renames: Renames | null = null,
): RunPlan {
  if (runState.ended !== null) return { is: 'same' };
  const { agent, digest, code, tools, shape } = program;
  const { machines } = program.runtime(new SilentWatcher(), () => 0);
  const shown = {
    ...(code !== undefined && { code }),
    ...(tools !== undefined && { tools }),
    ...(shape !== undefined && { shape }),
  };
  return planRun(runState, { agent, digest, ...shown, machines, config, ...planning(naming, renames) });
}

/** @throws SidecarError `machine_changed` where a run stays with its release, or nothing has said that it moves. */
export function refuseToMove(plan: RunPlan, { digests, ended }: RunState, { run, adopt }: RunOptions): void {
  const release =
    digests?.version === undefined ? 'the release that it was journaled under' : `release ${digests.version}`;
  const name = JSON.stringify(run);
  if (plan.is === 'stays')
    throw new SidecarError(
      'machine_changed',
      `${stayText(plan.why)}. Take it up with ${release}, or see \`belay migrate plan --run ${name}\``,
    );
  if (plan.is === 'goes' && plan.isMoved && adopt !== true && ended === null)
    throw new SidecarError(
      'machine_changed',
      `the machine has other states or edges than the run was journaled under, and takes all ${plan.compared.steps} steps of the run the same way. Move it with \`belay migrate apply ${name}\`, or take it up with adopt: true; or take it up with ${release}`,
    );
}

/** The reason why a run goes over to no release by itself that it was under before. */
export const LEFT_BEFORE =
  'it was under this release before and has left it: it goes back on the word of a person, `belay migrate apply --back`';

/** True where a run was under a release before, and is under another one. */
export function hasLeft({ digests, before }: RunState, own: Pick<Digests, 'machine' | 'config'>): boolean {
  return digests !== null && !isUnder(digests, own) && before.some((left) => isUnder(left, own));
}

/** @throws SidecarError `machine_changed` where a run would go back by itself to a release that it has left. */
export function refuseToReturn({ digest }: Program, config: BoundaryConfig, runState: RunState): void {
  const { ended, digests } = runState;
  if (ended !== null || digests?.machine === digest) return;
  if (hasLeft(runState, { machine: digest, config: config.digest }))
    throw new SidecarError('machine_changed', LEFT_BEFORE);
}

/**
 * Gives a run back under its present release: the process that moved the run died before it updated the store.
 * @throws SidecarError `moved`.
 */
export async function refuseMoved(journal: Journal, { machine, config }: Digests): Promise<never> {
  await journal.close({ due: 0, heard: 0, ended: false, digests: { machine, config }, threw: null, output: null });
  throw new SidecarError('moved', 'the run was moved to another release, and goes on under that');
}

/** @throws SidecarError `machine_changed` where a program is not the one that a run was moved from last. */
export function refuseOtherThanBefore({ digest }: Program, config: BoundaryConfig, { before }: RunState): void {
  const movedFrom = before.at(-1);
  if (movedFrom?.machine === digest && movedFrom.config === config.digest) return;
  const why =
    movedFrom === undefined ? 'the run was never moved' : 'the run was moved from another release than this one';
  throw new SidecarError('machine_changed', `${why}: it goes back with the machine and the config of that release`);
}

/** @throws SidecarError `other_agent`, `machine_changed` where a program is not the one of a run. */
export function refuseOtherProgram({ agent, digest }: Pick<Program, 'agent' | 'digest'>, runState: RunState): void {
  if (runState.agent !== agent)
    throw new SidecarError('other_agent', `the run is of "${runState.agent}", and the machine is "${agent}"`);
  if (runState.digests?.machine !== digest) {
    throw new SidecarError(
      'machine_changed',
      'the machine has other states or edges than the run was journaled under; run the machine that it began with',
    );
  }
}

export function refuseOthers(program: Program, runState: RunState, reader: EntryDecoder): void {
  if (runState.ended !== null || runState.agent !== program.agent) refuseOtherProgram(program, runState);
  const [codec] = reader.unregistered;
  if (codec !== undefined) {
    throw new SidecarError(
      'codec_missing',
      `the run has journaled values with the codec "${codec}": attach it with codecs: [{ name: '${codec}', ... }]`,
    );
  }
  const [missing] = reader.missing;
  if (missing !== undefined) {
    throw new SidecarError(
      'memory_lost',
      `${missing} held a value that no journal can hold, so the memory cannot be made again`,
    );
  }
}
