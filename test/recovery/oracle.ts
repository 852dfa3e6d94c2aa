/**
 * The oracle: an independent answer to "which recovery lines are safe?", to hold the decision against. It shares no code
 * with it (a layer rule says so) and works the other way round. Instead of asking who depends on a write, it runs the
 * history forward and carries, with every instance and every version of every concrete key, the set of events that had a
 * part in it. Then it looks at every line there is: a line is consistent iff nothing that it keeps had an undone event's
 * part in it, and safe iff it also crosses no effect that must not be crossed.
 *
 * Keys are sets of concrete paths over the segments of the history and one segment that nobody named, so that "covers
 * everything the two have in common" is plain set inclusion. At most 31 events and starts, which are bits of a number.
 */

export type Name = [skeleton: string, entity: string, ordinal: number];

/** A line of a trace, as text has it. */
export interface WrittenEvent {
  do: 'enter' | 'read' | 'write' | 'boundary' | 'effect';
  in: Name;
  by?: Name;
  key?: string;
  blind?: boolean;
  append?: boolean;
  kind?: 'commit' | 'exit' | 'outcome';
  class?: string;
  status?: string;
  undo?: boolean;
  id?: string;
  tool?: string;
}

/** Where an instance stands in a line: 0 keeps nothing, Infinity keeps all, anything else is the number of a checkpoint. */
export type Position = number;

interface Stand {
  at: Position;
  /** The events undone if the instance stands here, as bits. */
  undone: number;
  /** The events that had a part in what it keeps, as bits. */
  needs: number;
  /** Whether it crosses an effect that must not be crossed. */
  crosses: boolean;
}

/** One instance as the oracle saw it. */
export interface Seen {
  starter: number;
  checkpoints: { at: number; kind: string }[];
  accesses: { at: number; reads: boolean; writes: boolean; paths: number[] }[];
  /** The number of the last commit or exit, 0 before the first. */
  committed: number;
  state: number;
  past: { at: number; bit: number; state: number }[];
}

export interface SeenEffect {
  at: number;
  of: number;
  class: string;
  status: string;
  undo: boolean;
}

export interface Line {
  at: Position[];
  crosses: boolean;
}

/** Whether §6 forbids crossing an effect, by class, status and whether an undo is registered. */
function blocks({ class: kind, status, undo }: SeenEffect): boolean {
  if (kind === 'none' || kind === 'idempotent') return false;
  if (status === 'intended' || status === 'unknown') return true;
  return status === 'confirmed' && (kind === 'irreversible' || !undo);
}

/** What the oracle knows of a history. Instances are numbered in the order of their entry. */
export class Oracle {
  readonly index = new Map<string, number>();
  readonly seen: Seen[] = [];
  readonly effects: SeenEffect[] = [];
  readonly pathsOf: (key: string) => number[];
  /** For the number of each event that reads: the writes that it read, by whomever, bit n for event n. */
  readonly sources = new Map<number, number>();
  readonly #byId = new Map<string, SeenEffect>();
  readonly #versions = new Map<number, { part: number; writes: number }>();
  #bits = 0;

  /** @param asked keys that will be asked about, so that their segments are named. */
  constructor(events: readonly WrittenEvent[], asked: readonly string[] = []) {
    this.pathsOf = universe([...events.flatMap(({ key }) => key ?? []), ...asked]);
    for (const [position, event] of events.entries()) this.#take(event, position + 1);
  }

  numberOf(name: Name): number {
    return this.index.get(name.join('\u0001')) as number;
  }

  get blocking(): SeenEffect[] {
    return this.effects.filter(blocks);
  }

  #take(event: WrittenEvent, at: number): void {
    if (event.do === 'enter') this.#enter(event, at);
    const me = this.seen[this.numberOf(event.in)] as Seen;
    const bit = 1 << this.#bits++;
    me.state |= bit;
    if (event.do === 'read' || event.do === 'write') this.#access(event, me, at);
    if (event.do === 'boundary') {
      me.checkpoints.push({ at, kind: event.kind as string });
      if (event.kind !== 'outcome') me.committed = at;
    }
    if (event.do === 'effect') this.#effect(event, at);
    me.past.push({ at, bit, state: me.state });
  }

  #enter(event: WrittenEvent, at: number): void {
    const starter = event.by === undefined ? -1 : this.numberOf(event.by);
    const by = this.seen[starter];
    if (by !== undefined) {
      const act = 1 << this.#bits++;
      by.state |= act;
      by.past.push({ at, bit: act, state: by.state });
    }
    this.index.set(event.in.join('\u0001'), this.seen.length);
    const checkpoints = [{ at, kind: 'entry' }];
    this.seen.push({ starter, checkpoints, accesses: [], committed: 0, state: by?.state ?? 0, past: [] });
  }

  #access(event: WrittenEvent, me: Seen, at: number): void {
    const key = event.key as string;
    const paths = this.pathsOf(key);
    const writes = event.do === 'write';
    const reads = !writes || (!event.blind && !event.append);
    me.accesses.push({ at, reads, writes, paths });
    if (reads) {
      let sources = 0;
      for (const path of paths) {
        const version = this.#versions.get(path);
        me.state |= version?.part ?? 0;
        sources |= version?.writes ?? 0;
      }
      this.sources.set(at, sources);
    }
    if (!writes) return;
    const covers = !event.append && !key.includes('*');
    for (const path of paths) {
      const before = covers ? undefined : this.#versions.get(path);
      this.#versions.set(path, { part: (before?.part ?? 0) | me.state, writes: (before?.writes ?? 0) | (1 << at) });
    }
  }

  #effect(event: WrittenEvent, at: number): void {
    const known = event.id === undefined ? undefined : this.#byId.get(event.id);
    const effect = known ?? { at, of: this.numberOf(event.in), class: event.class as string, status: '', undo: false };
    effect.status = event.status as string;
    effect.undo = event.undo ?? effect.undo;
    if (known !== undefined) return;
    this.effects.push(effect);
    if (event.id !== undefined) this.#byId.set(event.id, effect);
  }

  /** Every consistent line, from the product of all positions. */
  lines(): Line[] {
    const blocking = this.blocking;
    const stands = this.seen.map((me, i) => {
      const positions = me.checkpoints.filter(({ kind }) => kind !== 'exit').map(({ at }) => at);
      return [0, ...positions, Number.POSITIVE_INFINITY].map((at): Stand => {
        const crosses = blocking.some((effect) => effect.of === i && effect.at > at);
        let undone = 0;
        let needs = 0;
        for (const event of me.past) {
          if (event.at > at) undone |= event.bit;
          else needs |= event.state;
        }
        return { at, undone, needs, crosses };
      });
    });
    const lines: Line[] = [];
    const line: Position[] = [];
    const walk = (i: number, undone: number, needs: number, crosses: boolean): void => {
      const next = stands[i];
      if (next === undefined) {
        if ((undone & needs) === 0) lines.push({ at: [...line], crosses });
        return;
      }
      for (const stand of next) {
        line[i] = stand.at;
        walk(i + 1, undone | stand.undone, needs | stand.needs, crosses || stand.crosses);
      }
    };
    walk(0, 0, 0, false);
    return lines;
  }

  /** The number of the failed instance's first write that overlaps the suspect key; Infinity without one, 0 if it never wrote. */
  suspectAt(failed: number, suspect?: string): number {
    if (suspect === undefined) return Number.POSITIVE_INFINITY;
    const paths = new Set(this.pathsOf(suspect));
    const touches = (access: { writes: boolean; paths: number[] }) =>
      access.writes && access.paths.some((path) => paths.has(path));
    return this.seen[failed]?.accesses.find(touches)?.at ?? 0;
  }

  /** 0 where only the failed instance moves, 2 where someone else's commitment is crossed, else 1 (§8). */
  levelOf(line: readonly Position[], failed: number): 0 | 1 | 2 {
    let level: 0 | 1 | 2 = 0;
    for (const [i, me] of this.seen.entries()) {
      const at = line[i] as Position;
      if (i === failed || at === Number.POSITIVE_INFINITY) continue;
      if (at < me.committed) return 2;
      level = 1;
    }
    return level;
  }

  /** The lines among `lines` in which the failed instance stands below `before`, where it may stand at all (§9). */
  open(lines: readonly Line[], failed: number, before: number): Line[] {
    const started = (this.seen[failed] as Seen).starter >= 0;
    return lines.filter(({ at }) => {
      const own = at[failed] as Position;
      return own < before && own !== Number.POSITIVE_INFINITY && (own > 0 || started);
    });
  }
}

/** The componentwise greatest of some lines; null of none. */
export function greatest(lines: readonly Line[]): Position[] | null {
  const [first] = lines;
  return first === undefined ? null : first.at.map((_, i) => Math.max(...lines.map(({ at }) => at[i] as Position)));
}

/** Whether a line is among others. */
export function includes(lines: readonly Line[], line: readonly Position[]): boolean {
  return lines.some(({ at }) => at.every((position, i) => position === line[i]));
}

/** All concrete paths over the segments of the history plus one that nobody named, as long as its longest key. */
function universe(keys: readonly string[]): (key: string) => number[] {
  const alphabet = ['a segment that nobody named'];
  let longest = 1;
  for (const key of keys) {
    const parts = split(key);
    longest = Math.max(longest, parts.length);
    for (const part of parts) if (part !== '*' && !alphabet.includes(part)) alphabet.push(part);
  }
  const known = new Map<string, number[]>();
  return (key) => {
    let paths = known.get(key);
    if (paths !== undefined) return paths;
    const parts = split(key);
    paths = [0];
    for (let depth = 0; depth < longest; depth += 1) {
      const part = parts[depth] ?? '*';
      const digits = part === '*' ? alphabet.map((_, digit) => digit) : [alphabet.indexOf(part)];
      paths = paths.flatMap((path) => digits.map((digit) => path * alphabet.length + digit));
    }
    known.set(key, paths);
    return paths;
  };
}

function split(key: string): string[] {
  const parts = key.replace(/^([a-z][a-z0-9+.-]*:)/, '$1/').split('/');
  return parts.at(-1) === '**' ? parts.slice(0, -1) : parts;
}
