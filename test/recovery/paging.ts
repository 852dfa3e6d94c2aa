/** Pages the beginning of a history out, into copies that have nothing in common with it, and asks it as before (docs/decisions). */
import type { Told } from '../../src/history/first-accesses.ts';
import type { History } from '../../src/history/history.ts';
import { type Limits, NOTHING_OUT, type Pager, type Rank } from '../../src/history/paged.ts';
import type { Certified } from '../../src/history/registry.ts';
import type { Decision, Policy } from '../../src/model/decision.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import type { Key } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';

interface Page {
  readonly upTo: Limits;
  readonly accesses: readonly Told[];
  readonly checkpoints: readonly Certified[];
}

/** The pages of one history. */
class PagesOf implements Pager {
  readonly #history: History;
  readonly #pages: Page[] = [];
  ins = 0;

  constructor(history: History) {
    this.#history = history;
  }

  get upTo(): Limits {
    return this.#pages.at(-1)?.upTo ?? NOTHING_OUT;
  }

  /** Pages out what there is up to an event. */
  out(at: number): void {
    if (at <= this.upTo.at) return;
    const { versions, registry } = this.#history;
    const accesses = [...versions.here()].filter(([access]) => access.at <= at);
    const checkpoints = registry.upTo(at);
    const copied = {
      accesses: accesses.map(([access, ...told]) => [{ ...access }, ...told] as const),
      checkpoints: checkpoints.map(([record, checkpoint]) => [record, { ...checkpoint }] as const),
    };
    this.#pages.push({ upTo: { at, nth: at, act: at }, ...copied });
    versions.pageOut(accesses, this);
    registry.pageOut(checkpoints, this);
  }

  pageIn(count: number): void {
    for (const { accesses, checkpoints } of this.#pages.splice(-count).reverse()) {
      this.ins += 1;
      this.#history.versions.pageIn(accesses, this.upTo.at);
      this.#history.registry.pageIn(checkpoints);
    }
  }

  pageInTo(limit: number, rank: Rank): void {
    while (this.upTo[rank] > limit) this.pageIn(1);
  }
}

const POLICIES: readonly Policy[] = ['line', 'static', 'dart'];

/** What the questions about a history come to. */
export interface Paged {
  readonly asked: number;
  /** The questions that had something paged in. */
  readonly reached: number;
  /** Those that were answered otherwise than before anything was paged out. */
  readonly different: readonly string[];
}

/** Asks about every failure of instances and keys, with the history as it is, and with pages up to some events. */
export function askedPaged(
  history: History,
  ids: readonly InstanceId[],
  keys: readonly (Key | null)[],
  cuts: readonly (readonly number[])[],
): Paged {
  const questions = ids.flatMap((id) => keys.flatMap((key) => POLICIES.map((policy) => ({ id, key, policy }))));
  const ask = ({ id, key, policy }: (typeof questions)[number]): Decision =>
    decide(history, { in: id, key }, { policy, joint: 'none' });
  const before = questions.map((question) => JSON.stringify(ask(question)));
  const pages = new PagesOf(history);
  const different: string[] = [];
  let reached = 0;
  for (const cut of cuts)
    for (const [index, question] of questions.entries()) {
      for (const at of cut) pages.out(at);
      const { ins } = pages;
      const now = JSON.stringify(ask(question));
      if (pages.ins > ins) reached += 1;
      if (now !== before[index]) different.push(`cut ${cut.join()}: ${now} and not ${before[index]}`);
    }
  pages.pageInTo(-1, 'at');
  return { asked: cuts.length * questions.length, reached, different };
}

/** One page up to each event. */
export function everyCut(head: number): number[][] {
  return Array.from({ length: head }, (_, index) => [index + 1]);
}

/** Two pages up to each two events. */
export function everyTwoCuts(head: number): number[][] {
  const all = everyCut(head).flat();
  return all.flatMap((one) => all.filter((two) => two > one).map((two) => [one, two]));
}
