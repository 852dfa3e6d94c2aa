/** Lints of names: states and edges that the machine does not have. */

import { suggest } from '../../predicates/suggest.ts';
import type { BoundaryConfig, Skeleton } from '../config.ts';
import { entriesOf, field, type Item, itemsOf, placeWithin, textOf, textsOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import { isWithin } from '../sections/skeleton.ts';
import type { Reach } from './reach.ts';

/** Reports the states and edges of a config that its machine does not have. */
export function lintStates(config: BoundaryConfig, root: Item, reach: Reach, findings: Findings): void {
  const known = (name: string, item: Item, offset = 0): boolean => {
    if (reach.states.has(name)) return true;
    const message = `"${name}" is not a state of ${config.agent}`;
    const mend = () =>
      suggest(
        name,
        [...reach.states.keys()].filter((path) => path !== ''),
      );
    findings.report('unknown_state', 'error', placeWithin(item, offset), message, mend);
    return false;
  };
  for (const [name, { item }] of entriesOf(field(root, 'skeletons'))) {
    for (const list of ['states', 'entry']) {
      for (const [state, at] of textsOf(field(item, list))) known(state, at);
    }
    const resume = field(field(item, 'rollback'), 'resume');
    const state = textOf(resume);
    if (resume !== null && state !== null) known(state, resume);
    lintSites(config.skeletons.get(name) as Skeleton, item, reach, findings, known);
  }
}

function lintSites(
  skeleton: Skeleton,
  item: Item,
  reach: Reach,
  findings: Findings,
  known: (name: string, item: Item, offset?: number) => boolean,
): void {
  const boundaries = ['commit', 'exit', 'discard'].flatMap((kind) => itemsOf(field(item, kind)));
  const sites = [...skeleton.boundaries.map(({ site }) => site), ...skeleton.discards];
  for (const [index, site] of sites.entries()) {
    const at = field(boundaries[index] ?? null, 'at');
    const text = textOf(at);
    if (at === null || text === null) continue;
    if ('at' in site) {
      known(site.at, at);
      continue;
    }
    const ends = [known(site.from, at), known(site.to, at, text.lastIndexOf(site.to))];
    if (ends.includes(false) || reach.hasEdge(site.from, site.to)) continue;
    const targets = new Set(reach.shape.edges.filter(({ from }) => isWithin(from, site.from)).map((edge) => edge.to));
    const mend = `From "${site.from}" the machine goes to ${[...targets].slice(0, 8).join(', ') || 'no other state'}.`;
    findings.report('unknown_edge', 'error', at.at, `no transition goes from "${site.from}" to "${site.to}"`, mend);
  }
}
