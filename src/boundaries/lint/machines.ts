/** The machines of a config's states: a skeleton belongs to one machine, as its units live and are restored in one. Pure. */
import type { BoundaryConfig, Skeleton } from '../config.ts';
import { entriesOf, field, type Item, itemsOf, textOf, textsOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { machineOf, type Names } from './reach.ts';

/** A state that lies in another machine than the first state of its skeleton. */
interface Astray {
  readonly skeleton: string;
  readonly state: string;
  /** The first state of the skeleton that the machine has. */
  readonly first: string;
  /** The machines of `state` and of `first`, as messages name them. */
  readonly machines: readonly [string, string];
}

/** Lists a message for each skeleton with states, entries, boundaries or a resume in two machines. */
export function overMachines(config: BoundaryConfig, states: Names): readonly string[] {
  return [...config.skeletons.values()].flatMap((skeleton) => {
    const sites = skeleton.boundaries.flatMap(({ site }) => ('at' in site ? [site.at] : [site.from, site.to]));
    const { resume } = skeleton.rollback;
    const named = [...skeleton.states, ...skeleton.entry, ...sites, ...(resume === null ? [] : [resume])];
    const astray = named.flatMap((state) => astrayOf(skeleton, state, config.agent, states) ?? []);
    return astray.slice(0, 1).map((found) => `${messageOf(found)}. ${mendOf(found)}`);
  });
}

/** Reports each name of a state that lies in another machine than the first state of its skeleton. */
export function lintMachines(config: BoundaryConfig, root: Item, states: Names, findings: Findings): void {
  for (const [name, { item }] of entriesOf(field(root, 'skeletons'))) {
    const skeleton = config.skeletons.get(name) as Skeleton;
    const report = (named: readonly string[], at: Place): void => {
      const found = named.flatMap((state) => astrayOf(skeleton, state, config.agent, states) ?? [])[0];
      if (found === undefined) return;
      findings.report('skeleton_over_machines', 'error', at, messageOf(found), mendOf(found));
    };
    for (const list of ['states', 'entry'])
      for (const [state, { at }] of textsOf(field(item, list))) report([state], at);
    const resume = field(field(item, 'rollback'), 'resume');
    const state = textOf(resume);
    if (resume !== null && state !== null) report([state], resume.at);
    const boundaries = ['commit', 'exit', 'discard'].flatMap((kind) => itemsOf(field(item, kind)));
    const sites = [...skeleton.boundaries.map(({ site }) => site), ...skeleton.discards];
    for (const [index, site] of sites.entries()) {
      const at = field(boundaries[index] ?? null, 'at');
      if (at !== null) report('at' in site ? [site.at] : [site.from, site.to], at.at);
    }
  }
}

function astrayOf(skeleton: Skeleton, state: string, agent: string, states: Names): Astray | null {
  const first = skeleton.states.find((path) => states.has(path));
  if (first === undefined || !states.has(state)) return null;
  const [own, other] = [machineOf(first, states), machineOf(state, states)];
  if (own === other) return null;
  const named = (machine: string) => (machine === '' ? agent : machine.slice(0, -1));
  return { skeleton: skeleton.name, state, first, machines: [named(other), named(own)] };
}

function messageOf({ skeleton, state, first, machines }: Astray): string {
  return `"${state}" of ${skeleton} is in the machine "${machines[0]}", and "${first}" is in the machine "${machines[1]}"`;
}

function mendOf({ machines }: Astray): string {
  return `Write a skeleton for each machine: one for "${machines[1]}", and one for "${machines[0]}".`;
}
