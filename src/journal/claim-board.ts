/**
 * Decides on claims: which run has a key, and which calls stand in line for it. A store loads a board from its tables,
 * asks it, and saves the answer. A call is granted its keys once no other run has one, and no earlier call in line
 * wants one. A call does not stand behind a call that waits for its own run, so the line closes no circle. Runs that
 * have keys can close a circle; then a call is refused.
 */
import { overlaps } from '../model/key.ts';
import type { PassedOn } from '../model/passed-on.ts';
import type { Claim, ClaimAnswer, ClaimCall, HeldClaim } from './claims.ts';

/** Another run that is in the way, and with what. */
interface Owner {
  readonly run: string;
  readonly key: string;
}

/**
 * A claim of a run; `released` where the run goes on without it, or where a person has `freed` it, and `passed` where another run was given it
 * then.
 */
export interface Had extends Claim {
  readonly released?: true;
  readonly freed?: true;
  readonly passed?: { readonly run: string; readonly epoch: number };
}

/** A released key of a run that a grant has passed on. */
export interface Passing {
  readonly from: string;
  readonly key: string;
}

/** The answers to calls, and what a store has to keep of them. */
export interface Settled {
  readonly answers: readonly ClaimAnswer[];
  /** The claims that calls were given and their runs did not have. */
  readonly granted: readonly {
    readonly call: ClaimCall;
    readonly claims: readonly Claim[];
    readonly passed: readonly Passing[];
  }[];
  /** The calls that stand in line from now on. */
  readonly queued: readonly ClaimCall[];
  /** The ids of those that stood in line and do not any more. */
  readonly gone: readonly string[];
}

/** True where nothing has to be kept. */
export function changesNothing({ granted, queued, gone }: Settled): boolean {
  return granted.length === 0 && queued.length === 0 && gone.length === 0;
}

/** Claims and calls at one moment. */
export class ClaimBoard {
  readonly #held = new Map<string, Had[]>();
  #line: ClaimCall[] = [];
  /** The owners of what each call in line wants, until something is granted or freed. */
  #owners = new Map<ClaimCall, readonly Owner[]>();

  /** The calls that stand in line, in its order. */
  get line(): readonly ClaimCall[] {
    return this.#line;
  }

  /** Gives claims to a run. */
  hold(run: string, wanted: readonly Had[]): void {
    const own = this.#held.get(run) ?? [];
    this.#held.set(run, [...own, ...this.lacking(run, wanted)]);
    this.#owners = new Map();
  }

  /** Puts a call at the end of the line. */
  wait(call: ClaimCall): void {
    this.#line.push(call);
  }

  /** Takes a call out of the line. */
  leave(id: string): void {
    this.#line = this.#line.filter((each) => each.id !== id);
  }

  /** Frees what a run has. */
  release(run: string): void {
    this.#held.delete(run);
    this.#owners = new Map();
  }

  /** Selects the given keys that a run has. No key is selected while a call of the run stands in line (ER2). */
  mayLetGo(run: string, keys: readonly string[]): readonly string[] {
    if (this.#line.some((call) => call.run === run)) return [];
    const own = this.#held.get(run) ?? [];
    return own.flatMap(({ key, released }) => (released !== true && keys.includes(key.text) ? [key.text] : []));
  }

  /** Releases keys of a run, or takes them back. */
  mark(run: string, keys: readonly string[], released: boolean): void {
    const marked = ({ released: _, freed: __, ...claim }: Had): Had => (released ? { ...claim, released } : claim);
    const own = this.#held.get(run) ?? [];
    this.#held.set(
      run,
      own.map((claim) => (keys.includes(claim.key.text) ? marked(claim) : claim)),
    );
    this.#owners = new Map();
  }

  /** Frees what a run has by the word of a person (ER8). @returns the keys. */
  free(run: string): readonly string[] {
    const own = this.#held.get(run) ?? [];
    this.#held.set(
      run,
      own.map((claim) => ({ ...claim, released: true, freed: true })),
    );
    this.#line = this.#line.filter((call) => call.run !== run);
    this.#owners = new Map();
    return [...new Set(own.flatMap(({ key, freed }) => (freed === true ? [] : [key.text])))];
  }

  /** The keys of a run that a person has freed. */
  freed(run: string): readonly string[] {
    const own = this.#held.get(run) ?? [];
    return own.flatMap(({ key, freed }) => (freed === true ? [key.text] : []));
  }

  /** The released keys of a run, each with the run that was given it since. */
  released(run: string): readonly { readonly key: string; readonly passed: Had['passed'] | null }[] {
    const own = this.#held.get(run) ?? [];
    return own.flatMap(({ key, released, passed = null }) => (released === true ? [{ key: key.text, passed }] : []));
  }

  /** Notes with the released keys that a grant overlaps who was given them. A key that was passed on once stays so (ER3). */
  pass(call: ClaimCall, epoch: number): readonly Passing[] {
    return [...this.#held].flatMap(([from, claims]) => {
      const isPassed = (claim: Had) =>
        claim.released === true && claim.passed === undefined && this.#meets(from, claim, call);
      const passed = claims.filter(isPassed);
      if (passed.length > 0)
        this.#held.set(
          from,
          claims.map((claim) => (isPassed(claim) ? { ...claim, passed: { run: call.run, epoch } } : claim)),
        );
      return passed.map(({ key }) => ({ from, key: key.text }));
    });
  }

  /** The part of what is wanted that a run does not have yet. */
  lacking(run: string, wanted: readonly Claim[]): readonly Claim[] {
    const own = (this.#held.get(run) ?? []).filter(({ released }) => released !== true);
    const lacks = ({ key, shared }: Claim) =>
      !own.some((each) => each.key.text === key.text && (shared || !each.shared));
    // A grant that is shared with kin is still shared with them where the run wants it stronger.
    return wanted.filter(lacks).map((claim) => {
      const from = claim.from ?? own.find((each) => each.key.text === claim.key.text)?.from;
      return from === undefined ? claim : { ...claim, from };
    });
  }

  /** Answers a call, and does what the answer says. */
  ask(call: ClaimCall): ClaimAnswer {
    const known = this.#line.find(({ id }) => id === call.id);
    const answer = this.#judged(known ?? call);
    if (answer.is === 'held') this.hold(call.run, call.wanted);
    if (answer.is !== 'waits') this.leave(call.id);
    else if (known === undefined) this.wait(call);
    return answer;
  }

  /** Answers calls, one after the other. @param isOpen true for a run whose process asks. */
  settle(calls: readonly ClaimCall[], isOpen: (run: string) => boolean): Settled {
    const granted: { call: ClaimCall; claims: readonly Claim[]; passed: readonly Passing[] }[] = [];
    const queued: ClaimCall[] = [];
    const gone: string[] = [];
    const answers = calls.map((call): ClaimAnswer => {
      if (!isOpen(call.run)) return { is: 'lost' };
      const isKnown = this.#line.some(({ id }) => id === call.id);
      const claims = this.lacking(call.run, call.wanted);
      const answer = this.ask(call);
      if (answer.is === 'held' && claims.length > 0) granted.push({ call, claims, passed: this.pass(call, 0) });
      if (answer.is === 'waits' && !isKnown) queued.push(call);
      if (answer.is !== 'waits' && isKnown) gone.push(call.id);
      return answer;
    });
    return { answers, granted, queued, gone };
  }

  /** The runs that a call in line waits for. */
  waitsFor(call: ClaimCall): readonly string[] {
    const owners = this.#ownersOf(call);
    const blocking =
      owners.length > 0 ? owners : this.#before(call).filter(({ run }) => !this.#leads(run, call.run, true));
    return [...new Set(blocking.map(({ run }) => run))];
  }

  #judged(call: ClaimCall): ClaimAnswer {
    if (this.lacking(call.run, call.wanted).length === 0) return { is: 'held' };
    const owners = this.#ownersOf(call);
    const circle = owners.find(({ run }) => this.#leads(run, call.run, false));
    if (circle !== undefined) return { is: 'refused', why: `${heldBy(circle)}, which waits for what this run holds` };
    const [first] = owners;
    if (first !== undefined) return { is: 'waits', why: heldBy(first) };
    const ahead = this.#before(call).find(({ run }) => !this.#leads(run, call.run, true));
    return ahead === undefined
      ? { is: 'held' }
      : { is: 'waits', why: `${ahead.key} is wanted by the run ${ahead.run}, which asked first` };
  }

  /** The other runs that have something of what a call wants. */
  #ownersOf(call: ClaimCall): readonly Owner[] {
    const known = this.#owners.get(call);
    if (known !== undefined) return known;
    const owners = [...this.#held].flatMap(([run, claims]) => {
      const met = claims.find((claim) => claim.released !== true && this.#meets(run, claim, call));
      return met === undefined ? [] : [{ run, key: met.key.text }];
    });
    this.#owners.set(call, owners);
    return owners;
  }

  /** True where what a run has or wants is in the way of a call of another run. Kin share the grants of their common past (FK6). */
  #meets(run: string, claim: Claim, call: ClaimCall): boolean {
    if (run === call.run || !meetsAny(claim, call.wanted)) return false;
    const own = [...(this.#held.get(call.run) ?? []), ...call.wanted];
    const owner = claim.from ?? run;
    return !own.some(({ key, from = call.run }) => key.text === claim.key.text && from === owner);
  }

  /** True for a claim on a key that kin have already: calls in line for that key wait for the kin anyway (FK6). */
  #joins({ key, from }: Claim): boolean {
    const isIt = (run: string, claim: Claim) => claim.key.text === key.text && (claim.from ?? run) === from;
    return from !== undefined && [...this.#held].some(([run, claims]) => claims.some((claim) => isIt(run, claim)));
  }

  /** The calls of other runs before a call in line that want something of it. */
  #before(call: ClaimCall): readonly Owner[] {
    const place = this.#line.indexOf(call);
    const earlier = place === -1 ? this.#line : this.#line.slice(0, place);
    const asking = { ...call, wanted: call.wanted.filter((claim) => !this.#joins(claim)) };
    return earlier.flatMap(({ run, wanted }) => {
      const met = wanted.find((claim) => this.#meets(run, claim, asking));
      return met === undefined ? [] : [{ run, key: met.key.text }];
    });
  }

  /**
   * True if a run waits for another run, directly or through further runs that wait.
   * @param lined true to count places in line, and not only claims.
   */
  #leads(from: string, to: string, lined: boolean): boolean {
    const seen = new Set([from]);
    const next = [from];
    for (let run = next.pop(); run !== undefined; run = next.pop()) {
      const own = this.#line.filter((each) => each.run === run);
      const owners = own.flatMap((call) => [...this.#ownersOf(call), ...(lined ? this.#before(call) : [])]);
      for (const owner of owners) {
        if (owner.run === to) return true;
        if (!seen.has(owner.run)) next.push(owner.run);
        seen.add(owner.run);
      }
    }
    return false;
  }
}

function heldBy({ run, key }: Owner): string {
  return `${key} is held by the run ${run}`;
}

function meetsAny(claim: Claim, wanted: readonly Claim[]): boolean {
  return wanted.some((other) => !(claim.shared && other.shared) && overlaps(claim.key, other.key));
}

/** Takes back what no other run was given. @returns what one was. */
export function reclaimed(board: ClaimBoard, run: string): readonly PassedOn[] {
  const released = board.released(run);
  const passed = released.flatMap(({ key, passed: to }) => (to ? [{ key, ...to }] : []));
  const gone = new Set(passed.map(({ key }) => key));
  board.mark(
    run,
    released.map(({ key }) => key).filter((key) => !gone.has(key)),
    false,
  );
  return passed;
}

/** How a claim is listed that a run has released. */
export function releaseOf(board: ClaimBoard, { run, key }: HeldClaim): Pick<HeldClaim, 'released' | 'passed'> {
  const found = board.released(run).find((each) => each.key === key);
  if (found === undefined) return {};
  return { released: true, ...(found.passed && { passed: found.passed.run }) };
}
