/** The size of a reviewer's work: the states of a machine, and the declarations of its config. */

import { readConfig } from 'belay-sidecar';
import type { Agent } from 'belay-sidecar/xstate';
import { machineShape } from '#seam';

/** A machine and its config, counted. */
export interface Reviewed {
  readonly domain: string;
  readonly skeletons: number;
  readonly commits: number;
  readonly exits: number;
  /** Boundaries that are declared, and not decided about yet. */
  readonly pending: number;
  readonly states: number;
  readonly edges: number;
  readonly exitEdges: readonly string[];
  /** Edges that leave a skeleton and are no boundary. */
  readonly notRecoverable: readonly string[];
}

/** Counts. @throws where the config is none. */
export function reviewed({ machine, config: file }: Agent): Reviewed {
  const { config } = readConfig(file);
  if (config === null) throw new Error(`${file} is no config`);
  const shape = machineShape(machine);
  const edges = new Set(shape.edges.map(({ from, to }) => `${from} -> ${to}`));
  const skeletons = [...config.skeletons.values()];
  const boundaries = skeletons.flatMap((skeleton) => skeleton.boundaries.map((boundary) => ({ skeleton, boundary })));
  const isPending = ({ skeleton, boundary }: (typeof boundaries)[number]) =>
    !skeleton.rollback.anchors.includes(boundary.id);
  const decided = boundaries.filter((each) => !isPending(each));
  const exits = boundaries.filter(({ boundary }) => boundary.kind === 'exit');
  const exitEdges = exits.flatMap(({ boundary: { site } }) => ('from' in site ? [`${site.from} -> ${site.to}`] : []));
  const leaves = skeletons.flatMap(({ states }) =>
    shape.edges.flatMap(({ from, to }) => {
      const own = (path: string) => states.some((state) => path === state || path.startsWith(`${state}.`));
      return own(from) && !own(to) ? [`${from} -> ${to}`] : [];
    }),
  );
  return {
    domain: machine.id,
    skeletons: skeletons.length,
    commits: decided.filter(({ boundary }) => boundary.kind === 'commit').length,
    exits: decided.filter(({ boundary }) => boundary.kind === 'exit').length,
    pending: boundaries.filter(isPending).length,
    states: shape.states.filter(({ path }) => path !== '').length,
    edges: edges.size,
    exitEdges: [...new Set(exitEdges)],
    notRecoverable: [...new Set(leaves)].filter((edge) => !exitEdges.includes(edge)),
  };
}
