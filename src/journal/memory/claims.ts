/** The claims of the runs of a store in memory. Closing a run takes it out of the line; it keeps its claims. */

import type { PassedOn } from '../../model/passed-on.ts';
import { ClaimBoard, reclaimed, releaseOf } from '../claim-board.ts';
import {
  type ClaimAnswer,
  type ClaimCall,
  type ClaimDesk,
  type ClaimsListed,
  Freed,
  type FreedClaims,
  type HeldClaim,
} from '../claims.ts';
import { JournalError } from '../journal.ts';
import { wrongRun } from '../rows.ts';
import type { MemoryRun } from './journal.ts';

/** The claims of one store. */
export class MemoryClaims implements ClaimDesk {
  readonly pollMs = 1_000;
  readonly #runs: ReadonlyMap<string, MemoryRun>;
  readonly #now: () => number;
  readonly #refuseIfClosed: () => void;
  readonly #board = new ClaimBoard();
  readonly #since = new Map<string, number>();
  readonly #freed: FreedClaims[] = [];
  readonly #told = new Freed();
  #held: HeldClaim[] = [];
  #epoch = 0;

  constructor(runs: ReadonlyMap<string, MemoryRun>, now: () => number, refuseIfClosed: () => void) {
    this.#runs = runs;
    this.#now = now;
    this.#refuseIfClosed = refuseIfClosed;
  }

  ask(calls: readonly ClaimCall[]): readonly ClaimAnswer[] {
    this.#refuseIfClosed();
    const answers = calls.map((call) => this.#ask(call));
    // What is given may close a circle.
    if (answers.some(({ is }) => is === 'held')) this.#told.tell();
    return answers;
  }

  leave(calls: readonly ClaimCall[]): void {
    for (const { id } of calls) this.#board.leave(id);
    this.#told.tell();
  }

  release(run: string): void {
    this.#refuseIfClosed();
    this.#board.release(run);
    this.#held = this.#held.filter((each) => each.run !== run);
    this.#told.tell();
  }

  letGo(run: string, keys: readonly string[]): void {
    this.#refuseIfClosed();
    if (this.#runs.get(run)?.held !== true) return;
    this.#board.mark(run, this.#board.mayLetGo(run, keys), true);
    this.#told.tell();
  }

  takeBack(run: string): readonly PassedOn[] {
    this.#refuseIfClosed();
    return reclaimed(this.#board, run);
  }

  freed(run: string): readonly string[] {
    this.#refuseIfClosed();
    return this.#board.freed(run);
  }

  free(run: string, head: number, by: string | null, why: string | null = null): readonly string[] | null {
    this.#refuseIfClosed();
    const found = this.#runs.get(run);
    if (found === undefined) throw wrongRun('run_unknown', run);
    if (found.held)
      throw new JournalError('lease_held', `Run ${JSON.stringify(run)} is open in this process. Close it first.`);
    if (found.durable !== head) return null;
    const keys = this.#board.free(run);
    if (keys.length > 0) this.#freed.push({ run, by, why, keys, time: this.#now() });
    this.#told.tell();
    return keys;
  }

  list(): ClaimsListed {
    this.#refuseIfClosed();
    const isNotFreed = ({ run, key }: HeldClaim) => !this.#board.freed(run).includes(key);
    const waiting = this.#board.line.map((call) => {
      const wanted = call.wanted.map(({ key, shared }) => ({ key: key.text, shared }));
      return { run: call.run, wanted, since: this.#since.get(call.id) ?? 0, waitsFor: this.#board.waitsFor(call) };
    });
    return {
      held: this.#held.filter(isNotFreed).map((each) => ({ ...each, ...releaseOf(this.#board, each) })),
      waiting,
      freed: [...this.#freed],
    };
  }

  onFreed(listener: () => void): () => void {
    return this.#told.onFreed(listener);
  }

  has(run: string): boolean {
    return this.#held.some((each) => each.run === run);
  }

  /** A run was closed: its calls stand in line no more. */
  closed(run: string): void {
    const left = this.#board.line.filter((each) => each.run === run);
    if (left.length > 0) this.leave(left);
  }

  /** A run was deleted: nothing of it is left. */
  deleted(run: string): void {
    for (let nth = this.#freed.length - 1; nth >= 0; nth -= 1)
      if (this.#freed[nth]?.run === run) this.#freed.splice(nth, 1);
    this.release(run);
  }

  #ask(call: ClaimCall): ClaimAnswer {
    if (this.#runs.get(call.run)?.held !== true) return { is: 'lost' };
    const lacking = this.#board.lacking(call.run, call.wanted);
    const answer = this.#board.ask(call);
    if (answer.is === 'waits') this.#since.set(call.id, this.#since.get(call.id) ?? this.#now());
    else this.#since.delete(call.id);
    if (answer.is !== 'held' || lacking.length === 0) return answer;
    this.#epoch += 1;
    this.#board.pass(call, this.#epoch);
    const grant = { epoch: this.#epoch, since: this.#now() };
    const keys = new Set(lacking.map(({ key }) => key.text));
    // A key that was shared, and is now the run's alone, has one claim.
    const others = this.#held.filter((each) => each.run !== call.run || !keys.has(each.key));
    this.#held = [...others, ...lacking.map(({ key, ...how }) => ({ run: call.run, key: key.text, ...how, ...grant }))];
    return answer;
  }
}
