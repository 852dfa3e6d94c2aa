/** What is tried about sandboxes (semantics.md SB1 to SB8): a machine that goes round three times, and what becomes of what it works in. */

const CLASSES = ['reversible', 'idempotent', 'compensable', 'beyond', 'irreversible'] as const;

/** One thing that happens, at a number of seconds. */
export type Happens =
  | { readonly is: 'nothing' }
  /** The sandbox is gone, with all that it held. */
  | { readonly is: 'gone' | 'pause' | 'complain' | 'abort' | 'reopen'; readonly at: number }
  /** The answer of the first start is lost, before or after it has happened; or it never comes to be ready. */
  | { readonly is: 'lost' | 'unstarted' | 'never' }
  /** The reply of the first edit is lost. */
  | { readonly is: 'unanswered' };

/** One scenario; times in seconds. */
export interface Scenario {
  readonly class: (typeof CLASSES)[number];
  readonly snapshot: boolean;
  /** How long a start takes. */
  readonly cold: number;
  readonly happens: readonly Happens[];
  /** The append at which the process dies; null for no death. */
  readonly crash: { readonly append: number; readonly when: 'before' | 'after' } | null;
}

/** Moments: at the start, in an edit, in a check, between, in the third round, after it. */
const MOMENTS = [1, 4, 6, 20, 42, 80];

const HAPPENS: readonly (readonly Happens[])[] = [
  [{ is: 'nothing' }],
  [{ is: 'lost' }],
  [{ is: 'unstarted' }],
  [{ is: 'never' }],
  [{ is: 'unanswered' }],
  ...MOMENTS.flatMap((at) =>
    (['gone', 'pause', 'complain', 'abort', 'reopen'] as const).map((is) => [{ is, at }] as const),
  ),
  ...MOMENTS.flatMap((at) => [
    [{ is: 'gone', at } as const, { is: 'complain', at: at + 1 } as const],
    [{ is: 'gone', at } as const, { is: 'abort', at: at + 1 } as const],
    [{ is: 'pause', at } as const, { is: 'gone', at: at + 5 } as const],
    [{ is: 'unanswered' } as const, { is: 'gone', at } as const],
    [{ is: 'lost' } as const, { is: 'gone', at } as const],
  ]),
];

/** Every scenario without a death. */
export function scenarios(): readonly Scenario[] {
  return CLASSES.flatMap((kind) =>
    [false, true].flatMap((snapshot) =>
      [2, 90].flatMap((cold) =>
        HAPPENS.map((happens) => ({
          ...{ class: kind, snapshot, cold, crash: null },
          // What happens between, happens later where the start is slow.
          happens: happens.map((each) => ('at' in each && each.at > 2 ? { ...each, at: each.at + cold - 2 } : each)),
        })),
      ),
    ),
  );
}

/** The deaths of a scenario whose journal has some appends: at each, lost or written. */
export function* deaths(scenario: Scenario, appends: number): Generator<Scenario> {
  for (let append = 1; append <= appends; append += 1)
    for (const when of ['before', 'after'] as const) yield { ...scenario, crash: { append, when } };
}
