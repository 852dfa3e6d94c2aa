/** The answers of tools whose reads are revalidated, and the calls that relied on them (semantics.md RV1, RV2). */
import type { VerifiedEntry } from '../model/call-entries.ts';

/** One answer, and the wall clock at which it was last known to hold, in milliseconds. */
export interface LookedAt {
  readonly tool: string;
  readonly args: unknown;
  readonly output: unknown;
  readonly at: number;
}

/** An answer that a call relied on as it left first. */
type Relied = LookedAt & { readonly actor: number };

/** The looks of one run, by the numbers of the actors that were answered. */
export class Looks {
  readonly all = new Map<number, LookedAt>();
  /** The answers that a call relied on as it left first under its key. A later look of the same actor is none of them. */
  readonly relied = new Map<string, readonly Relied[]>();

  take({ key, reads }: VerifiedEntry): void {
    for (const { actor, at, first } of reads) {
      const known = first ?? this.all.get(actor);
      if (known === undefined) continue;
      const { tool, args, output } = known;
      this.all.set(actor, { tool, args, output, at });
    }
    // What was seen before the second leaving of a key may be the effect of the first.
    if (key === null || this.relied.has(key)) return;
    const of = ({ actor }: { readonly actor: number }) => {
      const known = this.all.get(actor);
      return known === undefined ? [] : [{ ...known, actor }];
    };
    this.relied.set(key, reads.flatMap(of));
  }

  /** A call is known not to have happened: made again, it rests on what is seen then. */
  failed(key: string): void {
    this.relied.delete(key);
  }

  /** A replay takes an answer over, with the number of another actor (C5). */
  claim(actor: number, as: number): void {
    const known = this.all.get(actor);
    if (known !== undefined) this.all.set(as, known);
  }

  /** The answer of a tool that a call relied on as it left first, the last of several; undefined where there is none. */
  ofCall(key: string, tool: string): Relied | undefined {
    return this.relied.get(key)?.findLast((each) => each.tool === tool);
  }
}
