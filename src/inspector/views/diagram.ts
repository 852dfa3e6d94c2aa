/**
 * The machines of a run as its journal shows them: the states that they were in and the edges that they took. A state
 * or edge that no step has reached is not in the journal, so it is not drawn.
 */
import { entriesOf } from '../../journal/entries.ts';
import type { Entry } from '../../model/entry.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { ActorState } from '../../projection/state-types.ts';
import type { WireDiagram } from '../course-data.ts';
import type { Read } from '../reading.ts';
import { actorName, eventName } from './words.ts';

const MOST_MACHINES = 12;
const MOST_STATES = 150;
const START = '(start)';

/** The leaves of a state value, by the region that each lies in. */
function leavesOf(value: StateValue | undefined, path: readonly string[] = [], region = ''): Map<string, string> {
  if (value === undefined || value === '') return new Map([[region, path.join('.')]]);
  if (typeof value === 'string') return new Map([[region, [...path, value].join('.')]]);
  const parts = Object.entries(value);
  if (parts.length === 0) return new Map([[region, path.join('.')]]);
  // Of several parts each is a region; a single one is a state in a state.
  return new Map(
    parts.flatMap(([name, inner]) => {
      const at = [...path, name];
      return [...leavesOf(inner, at, parts.length > 1 ? at.join('.') : region)];
    }),
  );
}

interface Travelled {
  readonly visits: Map<string, number>;
  readonly edges: Map<string, { from: string; to: string; label: string; times: number; last: boolean }>;
  readonly active: Set<string>;
}

/** The diagram of every kind of machine that took a step. */
export function diagramView({ rows, timeline }: Read): WireDiagram {
  const { actors } = timeline.runState;
  const travelled = new Map<string, Travelled>();
  const now = new Map<number, Map<string, string>>();
  const newest = new Map<number, string[]>();
  for (const { entry } of entriesOf(rows)) {
    for (const { actor, value, label } of movesOf(entry)) {
      const machine = travelledBy(travelled, kindOf(actors, actor));
      const next = leavesOf(value);
      const taken = move(machine, now.get(actor) ?? null, next, label);
      if (taken.length > 0) newest.set(actor, taken);
      now.set(actor, next);
    }
  }
  for (const [actor, leaves] of now) {
    const machine = travelledBy(travelled, kindOf(actors, actor));
    if (actors[actor]?.ended === null) for (const leaf of leaves.values()) machine.active.add(leaf);
    for (const edge of newest.get(actor) ?? []) {
      const found = machine.edges.get(edge);
      if (found !== undefined) found.last = true;
    }
  }
  const all = [...travelled].map(([actor, machine]) => drawn(actor, machine));
  return { machines: all.slice(0, MOST_MACHINES), left: Math.max(0, all.length - MOST_MACHINES) };
}

function movesOf(entry: Entry): { actor: number; value: StateValue; label: string }[] {
  if (entry.do === 'step') return [{ actor: entry.actor, value: entry.value, label: eventName(entry.event) }];
  if (entry.do !== 'restored') return [];
  return entry.controls.map(({ actor, value }) => ({ actor, value, label: 'restored' }));
}

/** Child machines of one kind are drawn as one. */
function kindOf(actors: readonly ActorState[], number: number): string {
  const actor = actors[number];
  if (actor === undefined || actor.number === 0 || actor.started?.src == null) return actorName(actor);
  return actor.started.src;
}

function travelledBy(all: Map<string, Travelled>, kind: string): Travelled {
  const known = all.get(kind) ?? { visits: new Map(), edges: new Map(), active: new Set<string>() };
  all.set(kind, known);
  return known;
}

/** Adds what a step moved. @returns the names of the edges that it took. */
function move(
  { visits, edges }: Travelled,
  before: Map<string, string> | null,
  next: Map<string, string>,
  label: string,
): string[] {
  const taken: string[] = [];
  const edge = (from: string, to: string) => {
    const name = JSON.stringify([from, to, label]);
    const known = edges.get(name) ?? { from, to, label, times: 0, last: false };
    known.times += 1;
    edges.set(name, known);
    taken.push(name);
  };
  const left = [...(before ?? [])].filter(([region]) => !next.has(region)).map(([, leaf]) => leaf);
  for (const [region, leaf] of next) {
    const was = before?.get(region);
    if (was === leaf) continue;
    visits.set(leaf, (visits.get(leaf) ?? 0) + 1);
    if (was !== undefined) edge(was, leaf);
    else for (const from of before === null ? [START] : left) edge(from, leaf);
    // Regions that end together lead to where control went.
    if (was !== undefined) for (const from of left) edge(from, leaf);
  }
  return taken;
}

function drawn(actor: string, { visits, edges, active }: Travelled): WireDiagram['machines'][number] {
  const names = [START, ...visits.keys()].slice(0, MOST_STATES);
  const ids = new Map(names.map((name, index) => [name, `s${index}`]));
  return {
    actor,
    nodes: names.map((name) => ({
      id: ids.get(name) as string,
      name,
      active: active.has(name),
      visits: visits.get(name) ?? 0,
    })),
    edges: [...edges.values()].flatMap(({ from, to, label, times, last }) => {
      const [source, target] = [ids.get(from), ids.get(to)];
      return source === undefined || target === undefined ? [] : [{ from: source, to: target, label, times, last }];
    }),
  };
}
