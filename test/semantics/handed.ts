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
const ENDS = ['machine', 'abort'] as const;

/** Every case in which no process dies. */
export function cases(): readonly Case[] {
  const of = CLASSES.flatMap((kind) => SAYS.flatMap((says) => FATES.map((fates) => ({ class: kind, says, fates }))));
  const around = COMPLAINTS.flatMap((complains) => ENDS.map((ends) => ({ complains, ends })));
  const looks = [true, false].flatMap((same) => [true, false].map((tells) => ({ same, tells, append: null })));
  return of.flatMap((one) => around.flatMap((more) => looks.map((look) => ({ ...one, ...more, ...look }))));
}

/** The same, each with a death at one append. */
export function* deaths(last: number): Generator<Case> {
  for (const one of cases()) for (let append = 2; append <= last; append += 1) yield { ...one, append };
}
