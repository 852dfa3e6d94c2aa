/**
 * The oracle: an independent answer to "which recovery lines are safe?", to hold the decision against. It shares no code
 * with it (a layer rule says so) and works the other way round. Instead of asking who depends on a write, it runs the
 * history forward and carries, with every instance and every version of every concrete key, the set of events that had a
 * part in it. Then it looks at every line there is: a line is safe iff nothing that it keeps had an undone event's part in
 * it, and it crosses no effect that must not be crossed.
 *
 * Keys are sets of concrete paths over the segments of the history and one segment that nobody named, so that "covers
 * everything the two have in common" is plain set inclusion. At most 31 events and starts, which are bits of a number.
 */

/** A line of a trace, as text has it. */
export interface WrittenEvent {
  do: 'enter' | 'read' | 'write' | 'boundary' | 'effect';
  in: [string, string, number];
  by?: [string, string, number];
  key?: string;
  blind?: boolean;
  append?: boolean;
  kind?: 'commit' | 'exit' | 'outcome';
  class?: string;
  status?: string;
  undo?: boolean;
  id?: string;
}

/** A position: 0 keeps nothing, Infinity keeps all, anything else is the number of the checkpoint. */
export type Position = number;

interface Stand {
  at: Position;
  /** The events undone if the instance stands here. */
  undone: number;
  /** The events that had a part in what it keeps. */
  needs: number;
  /** Whether it crosses an effect that must not be crossed. */
  crosses: boolean;
}

interface Seen {
  starter: number;
  stands: Stand[];
  checkpoints: { at: number; kind: string }[];
  writes: { at: number; paths: number[] }[];
  committed: number;
}

/** What the oracle knows of a history. Instances are numbered in the order of their entry. */
export interface Oracle {
  names: string[];
  /** Every safe line, one position per instance. */
  safe: Position[][];
  seen: Seen[];
  /** Whether an effect of any instance stands that no rollback may cross. */
  anyBlocks: boolean;
  paths: (key: string) => number[];
}

/** What the rules say about one failure. */
export interface Expectation {
  /** The suspect key was never written by the failed instance. */
  abstains: boolean;
  /** The one greatest consistent line, or null; `tops` says how many lines are not below another. */
  greatest: Position[] | null;
  unique: boolean;
  level: 0 | 1 | 2 | null;
  isSafe: (line: Position[]) => boolean;
}

const BLOCKS: Record<string, (status: string, undo: boolean) => boolean> = {
  none: () => false,
  idempotent: () => false,
  reversible: (status, undo) => status === 'intended' || status === 'unknown' || (status === 'confirmed' && !undo),
  compensable: (status, undo) => status === 'intended' || status === 'unknown' || (status === 'confirmed' && !undo),
  irreversible: (status) => status === 'intended' || status === 'unknown' || status === 'confirmed',
};

export function nameOf(id: [string, string, number]): string {
  return id.join('\u0001');
}

export function oracle(events: readonly WrittenEvent[]): Oracle {
  const paths = universe(events);
  const index = new Map<string, number>();
  const seen: Seen[] = [];
  const states: number[] = [];
  const own: { at: number; bit: number; state: number }[][] = [];
  const effects: { at: number; of: number; class: string; status: string; undo: boolean }[] = [];
  const byId = new Map<string, (typeof effects)[number]>();
  const versions = new Map<number, number>();
  let bits = 0;
  events.forEach((event, position) => {
    const at = position + 1;
    const bit = 1 << bits++;
    if (event.do === 'enter') {
      const starter = event.by === undefined ? -1 : (index.get(nameOf(event.by)) as number);
      let state = bit;
      if (starter >= 0) {
        const act = 1 << bits++;
        own[starter]?.push({ at, bit: act, state: (states[starter] as number) | act });
        states[starter] = (states[starter] as number) | act;
        state |= states[starter] as number;
      }
      index.set(nameOf(event.in), seen.length);
      seen.push({ starter, stands: [], checkpoints: [{ at, kind: 'entry' }], writes: [], committed: 0 });
      states.push(state);
      own.push([{ at, bit, state }]);
      return;
    }
    const i = index.get(nameOf(event.in)) as number;
    const me = seen[i] as Seen;
    let state = (states[i] as number) | bit;
    if (event.do === 'read' || event.do === 'write') {
      const touched = paths(event.key as string);
      const reads = event.do === 'read' || (!event.blind && !event.append);
      if (reads) for (const path of touched) state |= versions.get(path) ?? 0;
      if (event.do === 'write') {
        me.writes.push({ at, paths: touched });
        const covers = !event.append && !(event.key as string).split(/[/:]/).some((s) => s === '*' || s === '**');
        for (const path of touched) versions.set(path, covers ? state : (versions.get(path) ?? 0) | state);
      }
    } else if (event.do === 'boundary') {
      const kind = event.kind as string;
      me.checkpoints.push({ at, kind });
      if (kind !== 'outcome') me.committed = at;
    } else {
      const known = event.id === undefined ? undefined : byId.get(event.id);
      const effect = known ?? { at, of: i, class: event.class as string, status: '', undo: false };
      effect.status = event.status as string;
      effect.undo = event.undo ?? effect.undo;
      if (known === undefined) effects.push(effect);
      if (event.id !== undefined) byId.set(event.id, effect);
    }
    states[i] = state;
    own[i]?.push({ at, bit, state });
  });
  const blocks = effects.filter((effect) => BLOCKS[effect.class]?.(effect.status, effect.undo));
  seen.forEach((me, i) => {
    const mine = own[i] as (typeof own)[number];
    const ats = [0, ...me.checkpoints.filter((c) => c.kind !== 'exit').map((c) => c.at), Number.POSITIVE_INFINITY];
    me.stands = ats.map((at) => ({
      at,
      undone: mine.reduce((mask, event) => (event.at > at ? mask | event.bit : mask), 0),
      needs: mine.reduce((mask, event) => (event.at <= at ? mask | event.state : mask), 0),
      crosses: blocks.some((effect) => effect.of === i && effect.at > at),
    }));
  });
  return { names: [...index.keys()], safe: safeLines(seen), seen, anyBlocks: blocks.length > 0, paths };
}

/** Every line of the product of all positions that is safe. */
function safeLines(seen: readonly Seen[]): Position[][] {
  const safe: Position[][] = [];
  const line: Position[] = [];
  const walk = (i: number, undone: number, needs: number): void => {
    if (i === seen.length) {
      if ((undone & needs) === 0) safe.push([...line]);
      return;
    }
    for (const stand of (seen[i] as Seen).stands) {
      if (stand.crosses) continue;
      line[i] = stand.at;
      walk(i + 1, undone | stand.undone, needs | stand.needs);
    }
  };
  walk(0, 0, 0);
  return safe;
}

/** What must be answered when instance `failed` fails, `suspect` being the key of a write found wrong. */
export function expectation(known: Oracle, failed: number, suspect?: string): Expectation {
  const me = known.seen[failed] as Seen;
  let before = Number.POSITIVE_INFINITY;
  if (suspect !== undefined) {
    const paths = new Set(known.paths(suspect));
    const first = me.writes.find((write) => write.paths.some((path) => paths.has(path)));
    if (first === undefined) return { abstains: true, greatest: null, unique: true, level: null, isSafe: () => false };
    before = first.at;
  }
  const fits = (at: Position) => at < before && at !== Number.POSITIVE_INFINITY && (at > 0 || me.starter >= 0);
  const lines = known.safe.filter((line) => fits(line[failed] as Position));
  const isSafe = (line: Position[]) => lines.some((each) => each.every((at, i) => at === line[i]));
  if (lines.length === 0) return { abstains: false, greatest: null, unique: true, level: null, isSafe };
  const greatest = (lines[0] as Position[]).map((_, i) => Math.max(...lines.map((line) => line[i] as Position)));
  return { abstains: false, greatest, unique: isSafe(greatest), level: levelOf(known, greatest, failed), isSafe };
}

export function levelOf(known: Oracle, line: readonly Position[], failed: number): 0 | 1 | 2 {
  const others = known.seen.map((me, i) => ({ me, at: line[i] as Position, i })).filter(({ i }) => i !== failed);
  if (others.some(({ me, at }) => at < me.committed)) return 2;
  return others.some(({ at }) => at !== Number.POSITIVE_INFINITY) ? 1 : 0;
}

/** All concrete paths over the segments of the history plus one that nobody named, as long as its longest key. */
function universe(events: readonly WrittenEvent[]): (key: string) => number[] {
  const alphabet = ['\u0000'];
  let longest = 1;
  const split = (key: string) => {
    const parts = key.replace(/^([a-z][a-z0-9+.-]*:)/, '$1/').split('/');
    return parts.at(-1) === '**' ? parts.slice(0, -1) : parts;
  };
  for (const { key } of events) {
    if (key === undefined) continue;
    const parts = split(key);
    longest = Math.max(longest, parts.length);
    for (const part of parts) if (part !== '*' && !alphabet.includes(part)) alphabet.push(part);
  }
  const known = new Map<string, number[]>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const parts = split(key);
    let paths = [0];
    for (let depth = 0; depth < longest; depth += 1) {
      const part = parts[depth] ?? '*';
      const digits = part === '*' ? alphabet.map((_, digit) => digit) : [alphabet.indexOf(part)];
      paths = paths.flatMap((path) => digits.map((digit) => path * alphabet.length + digit));
    }
    known.set(key, paths);
    return paths;
  };
}
