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
export function cases(): readonly Case[] {
  const of = BEGINS.flatMap((begins) => PAYS.map((pays) => ({ begins, pays, append: null })));
  const around = BOTH.flatMap((complains) => ENDS.flatMap((ends) => BOTH.map((again) => ({ complains, ends, again }))));
  const word = REVOKES.flatMap((revokes) => (revokes === null ? [false] : BOTH).map((pauses) => ({ revokes, pauses })));
  const fates = word.flatMap((one) => FATES.map((fate) => ({ ...one, fate })));
  return fates.flatMap((one) => around.flatMap((more) => of.map((each) => ({ ...one, ...more, ...each }))));
}

/** The same, each with a death at one append. */
export function* deaths(last = 30): Generator<Case> {
  for (const one of cases()) for (let append = 2; append <= last; append += 1) yield { ...one, append };
}
