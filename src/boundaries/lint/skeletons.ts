/**
 * Lints of skeletons against their machine: their entries and exits, the skeletons that share their regions, and
 * boundaries that can never certify.
 */

import { neverMet } from '../../predicates/steps.ts';
import type { Boundary, BoundaryConfig, Skeleton } from '../config.ts';
import { type Entry, entriesOf, field, type Item, itemsOf, textsOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { isWithin } from '../sections/skeleton.ts';
import { isOf, lostEdges, PENDING, whyNot } from './edges.ts';
import { parentIn, type Reach } from './reach.ts';

/** Reports likely mistakes in the skeletons of a config. Without a machine, only those that need none. */
export function lintSkeletons(config: BoundaryConfig, root: Item, reach: Reach | null, findings: Findings): void {
  const reachable = reach?.from(() => false) ?? new Set<string>();
  const entries = entriesOf(field(root, 'skeletons'));
  for (const [name, entry] of entries) {
    const skeleton = config.skeletons.get(name) as Skeleton;
    lintBoundaries(skeleton, entry.item, config, reach, reachable, findings);
    lintDiscards(skeleton, entry.item, findings);
    lintExits(skeleton, entry.item, findings);
    if (reach === null) continue;
    lintEntries(entry.item, config, reach, reachable, findings);
    lintArrivals(skeleton, entry, reach, reachable, findings);
  }
  lintClaims(entries, config, reach, findings);
  for (const { skeleton, from, to, event, why } of reach === null ? [] : lostEdges(config, reach)) {
    const at = entries.find(([name]) => name === skeleton)?.[1].at ?? root.at;
    const edge = `${from} -> ${to}${event === '' ? '' : ` (${event})`}`;
    const message = `${edge} leaves ${skeleton} and is legal but not recoverable: ${why.join('; ')}`;
    findings.report('not_recoverable', 'note', at, message, 'Put an anchored boundary on it, if it should be.');
  }
}

function lintEntries(
  item: Item,
  config: BoundaryConfig,
  reach: Reach,
  reachable: ReadonlySet<string>,
  findings: Findings,
): void {
  for (const [state, { at }] of textsOf(field(item, 'entry'))) {
    if (!reach.states.has(state) || reachable.has(state)) continue;
    const mend = 'Name a state that control can reach.';
    findings.report(
      'unreachable_entry',
      'warning',
      at,
      `nothing in ${config.agent} leads to the entry "${state}"`,
      mend,
    );
  }
}

/** An edge within the states, or from outside of them, leaves no work of the skeleton. */
function lintDiscards(skeleton: Skeleton, item: Item, findings: Findings): void {
  for (const [index, edge] of itemsOf(field(item, 'discard')).entries()) {
    const { id, from, to } = skeleton.discards[index] as Skeleton['discards'][number];
    if (isOf(from, skeleton) && !isOf(to, skeleton)) continue;
    const why = isOf(from, skeleton) ? `"${to}" is among the states` : `"${from}" is not among the states`;
    const message = `the discard "${id}" never discards anything: ${why}`;
    findings.report('never_discards', 'warning', edge.at, message, 'Name an edge that leads out of the states.');
  }
}

/** A policy for exits where no exit ever certifies. */
function lintExits({ name, boundaries, rollback }: Skeleton, item: Item, findings: Findings): void {
  const said = field(field(item, 'rollback'), 'exits');
  if (said === null || rollback.exits !== 'restorable') return;
  if (boundaries.some(({ kind, id }) => kind === 'exit' && rollback.anchors.includes(id))) return;
  const message = `no exit of ${name} is an anchor, so there is none to restore`;
  findings.report('exits_unused', 'warning', said.at, message, 'List an exit under rollback.anchors, or take it out.');
}

function lintBoundaries(
  skeleton: Skeleton,
  item: Item,
  config: BoundaryConfig,
  reach: Reach | null,
  reachable: ReadonlySet<string>,
  findings: Findings,
): void {
  const items = [...itemsOf(field(item, 'commit')), ...itemsOf(field(item, 'exit'))];
  for (const [index, boundary] of skeleton.boundaries.entries()) {
    const why = [
      ...whyNot(boundary, skeleton, config, reach?.shape ?? null),
      ...(reach === null ? [] : siteTrouble(boundary, skeleton, reach, reachable)),
      ...(reach === null || reach.shape.channels !== undefined ? [] : conditionTrouble(boundary, reach)),
    ];
    if (why.length === 0) continue;
    const at = field(items[index] ?? null, 'id')?.at ?? item.at;
    if (why.every((reason) => reason === PENDING)) {
      const message = `the ${boundary.kind} "${boundary.id}" certifies nothing: ${PENDING}`;
      const mend = 'List it under rollback.anchors once it may be restored, or take it out.';
      findings.report('boundary_pending', 'note', at, message, mend);
      continue;
    }
    const message = `the ${boundary.kind} "${boundary.id}" can never certify: ${why.join('; ')}`;
    findings.report('never_certifies', 'warning', at, message, 'Correct it or remove it: it promises nothing.');
  }
}

/** Says why no step at a boundary's site ever meets its condition: it asks for another event, state or tool than any of them has. */
function conditionTrouble({ site, when }: Boundary, { shape, states }: Reach): string[] {
  const [from, to] = 'at' in site ? [null, site.at] : [site.from, site.to];
  if (!states.has(to) || (from !== null && !states.has(from))) return [];
  const edges = shape.edges.filter(
    (edge) => from === null || (isNear(edge.from, from) && (isNear(edge.to, to) || edge.to === '')),
  );
  if (edges.length === 0) return [];
  const events = [...new Set(edges.map(({ event }) => event))];
  const near = shape.states.filter(({ path }) => isNear(path, to) || (from !== null && isNear(path, from)));
  const asked = neverMet(when.text, {
    // A step that follows of itself carries its event along, and the first one has its own.
    events: from === null || events.some((event) => event === '' || event.includes('*')) ? null : events,
    states: shape.states.flatMap(({ path }) => (isNear(path, to) ? [path] : [])),
    tools: near.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => tool ?? [])),
  });
  if (asked === null) return [];
  const has = asked === 'event.type' ? `: ${events.join(', ')}` : '';
  return [`its condition asks for another ${ASKED[asked]} than there is${has}`];
}

const ASKED = { 'event.type': 'event', state: 'state', action: 'tool' } as const;

/** True where one state lies in the other. */
function isNear(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

/** Says why no step of the work ever meets a boundary's site. Unknown states are told elsewhere. */
export function siteTrouble(
  { site }: Boundary,
  skeleton: Skeleton,
  reach: Reach,
  reachable: ReadonlySet<string>,
): string[] {
  const states = 'at' in site ? [site.at] : [site.from, site.to];
  if (!states.every((state) => reach.states.has(state))) return [];
  const unreachable = states.filter((state) => !reachable.has(state));
  if (unreachable.length > 0) return [`nothing leads to "${unreachable.join('" or "')}"`];
  if ('from' in site)
    return isOf(site.from, skeleton) ? [] : [`"${site.from}" is not among the states, so the work is not live there`];
  if (isOf(site.at, skeleton)) return [];
  // A transition of a state around the work, such as one of the root, leaves the work as well.
  const leaves = (from: string) => isOf(from, skeleton) || skeleton.states.some((state) => isWithin(state, from));
  const arrives = reach.shape.edges.some((edge) => leaves(edge.from) && reach.arrives(edge, site.at));
  return arrives ? [] : [`no step of the work arrives in "${site.at}"`];
}

/** States of a skeleton that control enters from outside, though they are no entry: no instance counts that work. */
function lintArrivals(
  skeleton: Skeleton,
  entry: Entry,
  reach: Reach,
  reachable: ReadonlySet<string>,
  findings: Findings,
): void {
  const told = new Set<string>();
  const arrivals = [...reach.shape.edges.filter(({ from }) => reachable.has(from)), { from: null, to: '' }];
  for (const { from, to } of arrivals) {
    if (from !== null && isOf(from, skeleton)) continue;
    const active = reach.enteredBy(from, to);
    const owned = active.filter((state) => isOf(state, skeleton));
    const target = isOf(to, skeleton) ? to : owned[0];
    if (target === undefined || told.has(target)) continue;
    if (owned.some((state) => skeleton.entry.some((known) => isWithin(state, known)))) continue;
    told.add(target);
    const whence = from === null ? 'the machine begins' : `${from === '' ? 'the root' : `"${from}"`} leads`;
    const message = `${whence} in "${target}", a state of ${skeleton.name} that is no entry`;
    findings.report(
      'entry_missing',
      'warning',
      entry.at,
      message,
      `Add "${target}" to the entry, or take it out of the states.`,
    );
  }
}

function lintClaims(
  entries: readonly (readonly [string, Entry])[],
  config: BoundaryConfig,
  reach: Reach | null,
  findings: Findings,
): void {
  // Without a machine, its states are taken to have no slashes in their own names.
  const parentOf = (state: string) =>
    reach?.parentOf(state) ?? (reach === null ? parentIn(state.slice(0, state.lastIndexOf('/') + 1), state) : null);
  const owner = new Map<string, string>();
  const claims = entries.flatMap(([name, { item }]) => {
    return textsOf(field(item, 'states')).map(([state, { at }]) => ({ name, state, at }));
  });
  const told = new Set<string>();
  const claim = (name: string, state: string, at: Place, around: string) => {
    const other = owner.get(around);
    const pair = [name, other].toSorted().join('::');
    if (other === undefined || other === name || told.has(pair)) return;
    told.add(pair);
    const message = `"${state}" belongs to ${name} and to ${other} of ${config.agent}`;
    findings.report('state_claimed_twice', 'error', at, message, 'Let one skeleton own it: a step is of one instance.');
  };
  for (const { name, state, at } of claims) {
    claim(name, state, at, state);
    if (!owner.has(state)) owner.set(state, name);
  }
  for (const { name, state, at } of claims) {
    for (let around = parentOf(state); around !== null; around = parentOf(around)) claim(name, state, at, around);
  }
}
