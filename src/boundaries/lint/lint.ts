/**
 * Checks a config against itself and against its machine: reports settings that run, yet are likely mistakes or matter
 * for a review (boundary-format.md). Pure.
 */
import type { MachineShape } from '../../model/machine.ts';
import type { BoundaryConfig } from '../config.ts';
import { type ConfigDocument, field } from '../page/document.ts';
import { type Finding, Findings } from '../page/finding.ts';
import { lintAlternatives } from './alternatives.ts';
import { lintCode } from './code.ts';
import { lintKeys } from './keys.ts';
import { lintMachines } from './machines.ts';
import { lintProfile, type Profile } from './profile.ts';
import { Reach } from './reach.ts';
import { lintReleases } from './releases.ts';
import { lintRetries } from './retries.ts';
import { lintSkeletons } from './skeletons.ts';
import { lintStates } from './states.ts';
import { lintTools } from './tools.ts';

/**
 * All findings about a loaded config.
 * @param shape its machine; null if none was found.
 * @param profile the class of its agent, if given.
 */
export function lintConfig(
  config: BoundaryConfig,
  document: ConfigDocument,
  shape: MachineShape | null,
  profile: Profile | null = null,
): readonly Finding[] {
  const findings = new Findings(document.file);
  const { root } = document;
  if (root === null) return [];
  lintKeys(config, root, findings, shape);
  if (profile !== null) lintProfile(profile, config, root, findings);
  if (shape === null) {
    const at = field(root, 'agent')?.at ?? root.at;
    const message = `there is no machine "${config.agent}" to check the config against`;
    const mend = 'Pass --machines FILE, or name the file in package.json under belay.machines.';
    findings.report('no_machine', 'note', at, message, mend);
    lintSkeletons(config, root, null, findings);
    return findings.list();
  }
  const reach = new Reach(shape);
  lintStates(config, root, reach, findings);
  lintMachines(config, root, reach.states, findings);
  lintSkeletons(config, root, reach, findings);
  lintTools(config, root, reach, findings);
  lintAlternatives(config, root, shape, findings);
  lintCode(config, root, shape, findings);
  lintRetries(config, root, reach, findings);
  lintReleases(config, root, reach, findings);
  return findings.list();
}
