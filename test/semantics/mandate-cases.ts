/** The cases of mandates that come and go: the whole product, in an order that spreads every part of it. */
import type { Case } from './mandated.ts';

const PAYS = ['compensable', 'gated', 'staged', 'irreversible', 'idempotent'] as const;
const BEGINS = ['given', 'required', 'short', 'none'] as const;
const FATES = ['pays', 'lost after', 'lost before', 'refuses'] as const;
/** The appends behind which a mandate is withdrawn; the longest of these runs has fewer than so many. */
const REVOKES = [null, ...Array.from({ length: 28 }, (_, nth) => nth + 1)];
const ENDS = ['machine', 'abort'] as const;
const BOTH = [true, false] as const;

/** Every case in which no process dies. */
export function* cases(): Generator<Case> {
  for (const revokes of REVOKES)
    for (const fate of FATES)
      for (const complains of BOTH)
        for (const ends of ENDS)
          for (const pauses of revokes === null ? [false] : BOTH)
            for (const again of BOTH)
              for (const begins of BEGINS)
                for (const pays of PAYS)
                  yield { pays, begins, revokes, again, fate, complains, pauses, ends, append: null };
}

/** The same, each with a death at one append. */
export function* deaths(last = 30): Generator<Case> {
  for (const one of cases()) for (let append = 2; append <= last; append += 1) yield { ...one, append };
}
