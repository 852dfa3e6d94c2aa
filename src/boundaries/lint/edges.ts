/**
 * Finds the edges of a machine that are legal but not recoverable: they end a unit of work, and no boundary that could
 * certify lies on them (semantics.md §4). It finds the cases that need no run; the other cases show when a step is
 * made.
 */

import type { MachineShape } from '../../model/machine.ts';
import { constantAnswer } from '../../predicates/compile.ts';
import type { Boundary, BoundaryConfig, KeyTemplate, Skeleton } from '../config.ts';
import { coverage, isOfSteps, isOutside } from '../keys/keys.ts';
import { isWithin } from '../sections/skeleton.ts';
import type { Reach } from './reach.ts';

/** The reason why a boundary under review certifies on no step. That is on purpose, and no mistake. */
export const PENDING = 'its review is pending, so it is not Controllable';

/** An edge that ends a skeleton's work, with the reason why no boundary certifies on it. */
export interface LostEdge {
  readonly skeleton: string;
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly why: readonly string[];
}

/** Every edge that leaves a skeleton and on which nothing can certify. */
export function lostEdges(config: BoundaryConfig, reach: Reach): readonly LostEdge[] {
  const lost: LostEdge[] = [];
  for (const skeleton of config.skeletons.values()) {
    for (const { from, to, event } of reach.shape.edges) {
      if (!isOf(from, skeleton) || isOf(to, skeleton)) continue;
      if (skeleton.discards.some((edge) => isWithin(from, edge.from) && isWithin(to, edge.to))) continue;
      const on = skeleton.boundaries.filter(({ site }) => {
        return 'at' in site
          ? isWithin(from, site.at) || isWithin(to, site.at)
          : isWithin(from, site.from) && isWithin(to, site.to);
      });
      const why = on.map((boundary) =>
        whyNot(boundary, skeleton, config, reach.shape).map((reason) => `${boundary.id}: ${reason}`),
      );
      if (on.length === 0) lost.push({ skeleton: skeleton.name, from, to, event, why: ['no boundary lies on it'] });
      else if (why.every((reasons) => reasons.length > 0))
        lost.push({ skeleton: skeleton.name, from, to, event, why: why.flat() });
    }
  }
  return lost;
}

/** True if a state belongs to a skeleton. */
export function isOf(state: string, { states }: Skeleton): boolean {
  return states.some((outer) => isWithin(state, outer));
}

/** The reasons why a boundary certifies on no step at all. Empty if it may certify. */
export function whyNot(
  boundary: Boundary,
  skeleton: Skeleton,
  config: BoundaryConfig,
  shape: MachineShape | null,
): readonly string[] {
  const why: string[] = [];
  const { site, id, when, outputs } = boundary;
  const { anchors, pending } = skeleton.rollback;
  if (pending.includes(id)) why.push(PENDING);
  else if (!anchors.includes(id)) why.push('rollback.anchors does not list it, so it is not Controllable');
  const control = 'at' in site ? site.at : site.to;
  if (!isOf(control, skeleton) && skeleton.rollback.resume === null) {
    why.push(`"${control}" lies outside the states and there is no rollback.resume, so it is not Separable`);
  }
  const answer = constantAnswer(when.text);
  if (answer !== null && answer.is !== 'yes') why.push(`its condition is always ${answer.is}, so it is not Closed`);
  const writes = [...config.tools.values()].flatMap((tool) => tool.writes);
  for (const output of outputs) {
    const isWritten = isOfSteps(output, shape?.channels ?? []) || coverage(output, writes).some;
    if (!isWritten && !mayAssign(output, shape))
      why.push(`nothing writes its output ${output.text}, so it is not Closed`);
  }
  return why;
}

/** True if actions of the machine may write a key of the context: they assign it by name, or code of theirs may. */
function mayAssign({ text }: KeyTemplate, shape: MachineShape | null): boolean {
  const assigns = shape?.assigns;
  if (assigns === undefined || text === '**') return assigns !== undefined;
  return !isOutside(text) && (!assigns.all || assigns.keys.includes(text.split('/')[0] as string));
}
