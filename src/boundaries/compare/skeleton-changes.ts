/** Compares the rules of two configs for one skeleton and its boundaries. */
import { constantAnswer } from '../../predicates/compile.ts';
import type { Boundary, Invariant, Judge, Rollback, Skeleton } from '../config.ts';
import { type Difference, keys, type Leaning, limit, members, names, said, within } from './leaning.ts';

/** One comparison for each field of a skeleton: a field without one does not compile. */
const FIELDS: Readonly<Record<keyof Skeleton, (old: Skeleton, now: Skeleton) => readonly Difference[]>> = {
  name: () => [],
  entity: (old, now) => entities(old.entity.text, now.entity.text),
  states: (old, now) => names('states', old.states, now.states, 'looser'),
  entry: (old, now) => names('entry', old.entry, now.entry, 'looser'),
  inputs: (old, now) => keys('inputs', old.inputs, now.inputs),
  required: (old, now) => keys('required', old.required, now.required),
  outputs: (old, now) => keys('outputs', old.outputs, now.outputs),
  boundaries: (old, now) => members(byId(old), byId(now), boundaryChanges),
  discards: (old, now) => names('discard', old.discards.map(edgeText), now.discards.map(edgeText), 'looser'),
  rollback: (old, now) =>
    within(
      ['rollback'],
      Object.values(ROLLBACK).flatMap((compare) => compare(old.rollback, now.rollback)),
    ),
};

const ROLLBACK: Readonly<Record<keyof Rollback, (old: Rollback, now: Rollback) => readonly Difference[]>> = {
  anchors: (old, now) => names('anchors', old.anchors, now.anchors, 'looser'),
  pending: (old, now) => names('pending', old.pending, now.pending, 'other'),
  compensable: (old, now) => either('compensable', old.compensable, now.compensable, 'undo'),
  joint: (old, now) => names('joint', old.joint, now.joint, 'looser'),
  exits: (old, now) => either('exits', old.exits, now.exits, 'restorable'),
  outcomeCheckpoints: (old, now) =>
    either('outcome_checkpoints', `${old.outcomeCheckpoints}`, `${now.outcomeCheckpoints}`, 'true'),
  resume: (old, now) => said('resume', old.resume, now.resume, 'looser'),
  tries: (old, now) => limit('tries', old.tries, now.tries, 'looser'),
};

const BOUNDARY: Readonly<Record<keyof Boundary, (old: Boundary, now: Boundary) => readonly Difference[]>> = {
  id: () => [],
  kind: (old, now) => said('kind', old.kind, now.kind, 'other'),
  site: (old, now) => said('at', siteText(old), siteText(now), 'other'),
  when: (old, now) => conditions(old.when.text, now.when.text),
  outputs: (old, now) => keys('outputs', old.outputs, now.outputs),
  release: (old, now) => keys('release', old.release, now.release),
  message: (old, now) => said('message', old.message?.text ?? null, now.message?.text ?? null, 'other'),
  judge: (old, now) => judges(old.judge, now.judge),
  invariants: (old, now) => members(invariants(old), invariants(now), invariantChanges),
};

/** The differences between two skeletons; null where a config has none of that name: what fails in its states parks the run. */
export function skeletonChanges(old: Skeleton | null, now: Skeleton | null): readonly Difference[] {
  if (old !== null && now !== null) return Object.values(FIELDS).flatMap((compare) => compare(old, now));
  const text = (skeleton: Skeleton | null) => skeleton && `owns ${skeleton.states.join(', ')}`;
  return [{ path: [], old: text(old), now: text(now), is: old === null ? 'looser' : 'stricter' }];
}

/** A boundary on one side alone promises more or less: which of them may be restored, the anchors say. */
function boundaryChanges(old: Boundary | null, now: Boundary | null): readonly Difference[] {
  if (old !== null && now !== null) return Object.values(BOUNDARY).flatMap((compare) => compare(old, now));
  const text = (boundary: Boundary | null) => boundary && `${boundary.kind} at ${siteText(boundary)}`;
  return [{ path: [], old: text(old), now: text(now), is: 'other' }];
}

/** One name for all makes one unit of many: what was kept apart is trusted and taken back together, the loosest. */
function entities(old: string, now: string): readonly Difference[] {
  const isOne = (text: string) => constantAnswer(`(${text}) == ""`) !== null;
  const is = isOne(now) === isOne(old) ? 'other' : isOne(now) ? 'looser' : 'stricter';
  return said('entity', old, now, 'other').map((difference) => ({ ...difference, is }));
}

/** A condition that is always true is the loosest of all. */
function conditions(old: string, now: string): readonly Difference[] {
  const always = (text: string) => constantAnswer(text)?.is === 'yes';
  const is = always(now) === always(old) ? 'other' : always(now) ? 'looser' : 'stricter';
  return said('when', old, now, 'other').map((difference) => ({ ...difference, is }));
}

const JUDGE: Readonly<Record<keyof Judge, (old: Judge, now: Judge) => readonly Difference[]>> = {
  by: (old, now) => said('by', old.by, now.by, 'other'),
  pass: (old, now) => renamed('pass', conditions(old.pass.text, now.pass.text)),
  sure: (old, now) => renamed('sure', conditions(old.sure?.text ?? 'true', now.sure?.text ?? 'true')),
  why: (old, now) => said('why', old.why?.text ?? null, now.why?.text ?? null, 'other'),
  found: (old, now) => said('found', old.found?.text ?? null, now.found?.text ?? null, 'other'),
  weak: (old, now) => either('weak', old.weak, now.weak, 'review'),
  reject: (old, now) => said('reject', old.reject, now.reject, 'other'),
};

/** Without its judge, a boundary promises what no judge has looked at. */
function judges(old: Judge | null, now: Judge | null): readonly Difference[] {
  if (old === null || now === null) return said('judge', old?.by ?? null, now?.by ?? null, 'stricter');
  return within(
    ['judge'],
    Object.values(JUDGE).flatMap((compare) => compare(old, now)),
  );
}

function renamed(path: string, differences: readonly Difference[]): readonly Difference[] {
  return differences.map((difference) => ({ ...difference, path: [path] }));
}

function invariantChanges(old: Invariant | null, now: Invariant | null): readonly Difference[] {
  const text = (invariant: Invariant | null) => {
    if (invariant === null) return null;
    return `${[...invariant.sum].map(([tool, amount]) => `${tool} ${amount.text}`).join(' + ')} is ${invariant.is}`;
  };
  return said('invariant', text(old), text(now), 'stricter');
}

function either(path: string, old: string, now: string, loose: string): readonly Difference[] {
  const is: Leaning = now === loose ? 'looser' : 'stricter';
  return said(path, old, now, 'other').map((difference) => ({ ...difference, is }));
}

function byId({ boundaries }: Skeleton): ReadonlyMap<string, Boundary> {
  return new Map(boundaries.map((boundary) => [boundary.id, boundary]));
}

function invariants(boundary: Boundary): ReadonlyMap<string, Invariant> {
  return new Map(boundary.invariants.map((invariant) => [invariant.id, invariant]));
}

function edgeText({ id, from, to }: Skeleton['discards'][number]): string {
  return `${id} at ${from} -> ${to}`;
}

function siteText({ site }: Boundary): string {
  return 'at' in site ? site.at : `${site.from} -> ${site.to}`;
}
