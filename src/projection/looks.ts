/** The answers of tools whose reads are revalidated, and the calls that relied on them (semantics.md RV1, RV2). */
import type { VerifiedEntry } from '../model/call-entries.ts';

/** One answer, and the wall clock at which it was last known to hold, in milliseconds. */
export interface LookedAt {
  readonly tool: string;
  readonly args: unknown;
  readonly output: unknown;
  readonly at: number;
}

/** The looks of one run, by the numbers of the actors that were answered. */
export class Looks {
  readonly all = new Map<number, LookedAt>();
  /** The numbers of the actors whose answers a call relied on as it left, by the key of the call. */
  readonly relied = new Map<string, readonly number[]>();

  take({ key, reads }: VerifiedEntry): void {
    for (const { actor, at, first } of reads) {
      const known = first ?? this.all.get(actor);
      if (known === undefined) continue;
      const { tool, args, output } = known;
      this.all.set(actor, { tool, args, output, at });
    }
    if (key !== null)
      this.relied.set(
        key,
        reads.map(({ actor }) => actor),
      );
  }

  /** A replay takes an answer over, with the number of another actor (C5). */
  claim(actor: number, as: number): void {
    const known = this.all.get(actor);
    if (known !== undefined) this.all.set(as, known);
  }

  /** The answer of a tool that a call relied on as it left, the last of several; undefined where there is none. */
  ofCall(key: string, tool: string): (LookedAt & { readonly actor: number }) | undefined {
    const actor = (this.relied.get(key) ?? []).findLast((each) => this.all.get(each)?.tool === tool);
    const look = this.all.get(actor ?? -1);
    return actor === undefined || look === undefined ? undefined : { ...look, actor };
  }
}
