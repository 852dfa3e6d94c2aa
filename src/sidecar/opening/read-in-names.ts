/** Reads a run in the names of the release that a person moves it to (semantics.md CO5). */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { Journal } from '../../journal/journal.ts';
import { isUnder } from '../../journal/work.ts';
import type { Renames } from '../../model/renames.ts';
import { type Resumed, resumed } from '../bases/resumed.ts';
import { type Naming, namesFor, readable } from '../migration/names.ts';
import { stayText } from '../migration/plan.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { RunOptions } from './options.ts';
import type { Program } from './program.ts';

/** Reads a run in the names of the release that it is about to be moved to. @throws SidecarError `machine_changed` where it has no reading in them. */
export async function readInNames(
  { digest }: Program,
  { codecs }: RunOptions,
  config: BoundaryConfig,
  journal: Journal,
  naming: Naming = { back: false },
): Promise<{ readonly renames: Renames | null; readonly resumed: Resumed }> {
  const found = await resumed(journal, codecs);
  const { map = null } = naming;
  if (map !== null && !isUnder({ machine: digest, config: config.digest }, map.to))
    throw new SidecarError('machine_changed', 'the map leads to another release than this machine and its config');
  const names = namesFor(found.runState, naming);
  if ('stay' in names) throw new SidecarError('machine_changed', stayText(names.stay));
  const { renames } = names;
  if (renames === null) return { renames, resumed: found };
  const renamed = await readable(() => resumed(journal, codecs, renames));
  if ('stay' in renamed) throw new SidecarError('machine_changed', stayText(renamed.stay));
  return { renames, resumed: renamed.read };
}
