/** The cases of judged drafts: the whole product, in an order that spreads every part of it. */
import type { Case } from './judged.ts';

const SAYS = ['yes', 'no', 'weak yes', 'weak no', 'throws', 'garbage'] as const;
const PERSONS = ['approves', 'denies', 'never'] as const;
const COMES = ['nothing', 'complaint', 'pause', 'cancel'] as const;
const BOTH = [true, false] as const;

/** Every case in which no process dies. */
export function cases(): readonly Case[] {
  const rules = (['review', 'reject'] as const).flatMap((weak) =>
    (['restore', 'abort'] as const).flatMap((reject) => BOTH.map((same) => ({ weak, reject, same }))),
  );
  const both = rules.flatMap((rule) => BOTH.map((holds) => ({ ...rule, holds })));
  return COMES.flatMap((comes) =>
    both.flatMap((rule) =>
      PERSONS.flatMap((person) => SAYS.map((says) => ({ comes, ...rule, person, says, append: null }))),
    ),
  );
}

/** The same, each with a death at one append. */
export function* deaths(last = 26): Generator<Case> {
  for (const one of cases()) for (let append = 2; append <= last; append += 1) yield { ...one, append };
}
