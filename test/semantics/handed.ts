/** The cases of what people do at a gate: the whole product, in an order that spreads every part of it. */
import type { Case, Fate, Word } from './handing.ts';

const CLASSES = ['compensable', 'irreversible', 'idempotent', 'reversible'] as const;
const SAYS: readonly (readonly Word[])[] = [
  ['approve'],
  ['edit'],
  ['bad edit', 'edit'],
  ['supply'],
  ['bad supply', 'supply'],
  ['twice'],
  ['edit', 'late'],
  ['edit', 'supply'],
];
const FATES: readonly (readonly Fate[])[] = [
  ['pays'],
  ['lost after'],
  ['lost before', 'pays'],
  ['refuses', 'pays'],
  ['refuses'],
];
const COMPLAINTS = [null, 'price before', 'price behind', 'receipt'] as const;

/** Every case in which no process dies. */
export function* cases(): Generator<Case> {
  for (const kind of CLASSES)
    for (const says of SAYS)
      for (const fates of FATES)
        for (const complains of COMPLAINTS)
          for (const ends of ['machine', 'abort'] as const)
            for (const same of [true, false])
              for (const tells of [true, false])
                yield { class: kind, says, fates, complains, ends, same, tells, append: null };
}

/** The same, each with a death at one append. */
export function* deaths(last: number): Generator<Case> {
  for (const one of cases()) for (let append = 2; append <= last; append += 1) yield { ...one, append };
}
