/** The alternatives that are tried: two and three branches of acts of every class, with one fault, one word of a person, and one crash each. */

/** The kinds of acts. `bare` is not declared; `staged` is held back by its config; `gated` waits for an approval. */
export const KINDS = [
  'none',
  'reversible',
  'compensable',
  'gated',
  'staged',
  'idempotent',
  'irreversible',
  'bare',
] as const;
export type Kind = (typeof KINDS)[number];

/** True for an act that is in the world before the choice. */
const isMade = (kind: Kind) => kind === 'reversible' || kind === 'compensable' || kind === 'gated';
/** True for an act that waits for the choice. */
export const isHeld = (kind: Kind) =>
  kind === 'staged' || kind === 'idempotent' || kind === 'irreversible' || kind === 'bare';

/**
 * The faults. `lost`: the reply to the first act of a branch is lost, and its counterparty tells; `mute`: it does not. `fails`: that act does not
 * happen. `settles`: its reply is lost, and the counterparty learns of the act a minute later. `undo`: the undo of it fails once (`flaky`), for ever (`never`), or loses its reply (`blind`). `throws`: the machine of the branch throws.
 */
const FAULTS = ['lost', 'mute', 'settles', 'fails', 'throws', 'flaky', 'never', 'blind', 'moved'] as const;
type Fault = (typeof FAULTS)[number];

/** The words of a person: a complaint about what the branches were given, the end of the run with and without its undos, a pause, or an event that leaves the state. */
export const WORDS = ['complaint', 'abort', 'cancel', 'pause', 'leave'] as const;
type Word = (typeof WORDS)[number];

/**
 * What the person does who is asked for a branch: chooses the one with the highest price (`high`) or the lowest (`low`), ten seconds later (`late`), twice at the
 * same time (`twice`), one that is not there and then one that is (`wrong`), none (`denies`), nothing (`never`); or complains while
 * looking about what the branches were given, and answers both the request that was shown and the next one (`complains`).
 */
const CHOOSING = ['high', 'low', 'late', 'twice', 'wrong', 'denies', 'never', 'complains'] as const;

export interface Scenario {
  readonly rule: 'first' | 'best' | 'gate';
  /** For `gate`. */
  readonly choosing?: (typeof CHOOSING)[number];
  readonly losers: 'owe' | 'stand';
  /** The acts of each branch. */
  readonly branches: readonly (readonly Kind[])[];
  /** `isCaught`: the machine of each branch goes on by itself where a call fails. */
  readonly fault: { readonly is: Fault; readonly branch: number; readonly isCaught?: true } | null;
  readonly word: { readonly is: Word; readonly append: number } | null;
  readonly crash: { readonly append: number; readonly when: 'after' | 'lost' } | null;
  /** The branches have a deadline that each meets, and no process has the run for an hour behind a crash. */
  readonly isDead?: true;
  readonly person: 'helps' | 'stands' | 'never';
}

/** A scenario that says all but its word, its crash and its person. */
export type Case = Pick<Scenario, 'rule' | 'losers' | 'branches' | 'fault' | 'choosing'>;

const RULES = ['first', 'best'] as const;

function faultsOf(branches: Scenario['branches']): Scenario['fault'][] {
  const each = branches.flatMap((acts, branch) =>
    FAULTS.filter((is) => fits(is, acts[0])).flatMap((is): Scenario['fault'][] =>
      is === 'settles' || is === 'lost'
        ? [
            { is, branch },
            { is, branch, isCaught: true },
          ]
        : [{ is, branch }],
    ),
  );
  return [null, ...each];
}

/** True where a fault can happen to a first act. */
function fits(fault: Fault, kind: Kind | undefined): boolean {
  if (kind === undefined) return fault === 'throws';
  if (fault === 'throws' || fault === 'fails') return !isHeld(kind) || fault === 'throws';
  return isMade(kind);
}

/** Every case of two branches with one act at most each. */
export function pairs(): Case[] {
  const acts: readonly (readonly Kind[])[] = [[], ...KINDS.map((kind) => [kind])];
  const branches = acts.flatMap((one) => acts.map((other) => [one, other]));
  return RULES.flatMap((rule) =>
    branches.flatMap((both) =>
      faultsOf(both).flatMap((fault): Case[] => {
        const ways =
          fault !== null && ['never', 'moved'].includes(fault.is) ? (['owe', 'stand'] as const) : (['owe'] as const);
        return ways.map((losers) => ({ rule, losers, branches: both, fault }));
      }),
    ),
  );
}

/** Every case of two branches with one act at most each, of which a person chooses one: each way to choose, and two of them with each fault. */
export function chosenPairs(): Case[] {
  const [cases, own] = [pairs(), new Set(['high', 'denies'])];
  return cases.flatMap((of) => {
    if (of.rule !== 'best') return [];
    const ways = of.fault === null ? CHOOSING : CHOOSING.filter((way) => own.has(way));
    return ways.map((choosing): Case => ({ ...of, rule: 'gate', choosing }));
  });
}

/** A case of two or three branches with two acts at most each, by a source of chance. @param draw a number below another one. */
export function drawn(draw: (below: number) => number): Case {
  const of = <T>(all: readonly T[]) => all[draw(all.length)] as T;
  const branches = Array.from({ length: 2 + draw(2) }, () => Array.from({ length: draw(3) }, () => of(KINDS)));
  const rule = of([...RULES, 'gate', 'gate'] as const);
  const choosing = rule === 'gate' ? { choosing: of(CHOOSING) } : {};
  const losers = of(['owe', 'owe', 'stand'] as const);
  const fault = of(faultsOf(branches));
  // A complaint beside a fault is a park where the fault keeps an undo from being made: the words go without a fault as well.
  return { ...choosing, rule, losers, branches, fault: choosing.choosing === 'complains' ? null : fault };
}
