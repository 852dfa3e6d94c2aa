/** What is tried about sandboxes (semantics.md SB1 to SB8): a machine that goes round three times, and what becomes of what it works in. */

const CLASSES = ['reversible', 'idempotent', 'compensable', 'beyond', 'irreversible'] as const;

/** One thing that happens, at a number of seconds. */
export type Happens =
  | { readonly is: 'nothing' }
  /** The sandbox is gone, with all that it held. */
  | { readonly is: 'gone' | 'pause' | 'complain' | 'abort' | 'cancel'; readonly at: number }
  /** The run is given back, at once or when the calls under way are over, or taken up by another release. */
  | { readonly is: 'reopen' | 'drain' | 'release'; readonly at: number }
  /** The provider does not answer for a minute. */
  | { readonly is: 'dark'; readonly at: number }
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
  readonly crash: { readonly append: number; readonly when: 'before' | 'after' | 'lost' } | null;
  /** True where another run works beside it, in the same process and store. */
  readonly beside?: boolean;
  /** The store of the rows of sandboxes; memory where it is left out. */
  readonly rows?: 'sqlite';
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
    (['gone', 'pause', 'complain', 'abort', 'cancel', 'reopen', 'drain', 'release', 'dark'] as const).map(
      (is) => [{ is, at }] as const,
    ),
  ),
  ...MOMENTS.flatMap((at) => [
    [{ is: 'gone', at } as const, { is: 'complain', at: at + 1 } as const],
    [{ is: 'gone', at } as const, { is: 'abort', at: at + 1 } as const],
    [{ is: 'pause', at } as const, { is: 'gone', at: at + 5 } as const],
    [{ is: 'unanswered' } as const, { is: 'gone', at } as const],
    [{ is: 'lost' } as const, { is: 'gone', at } as const],
    [{ is: 'pause', at } as const, { is: 'abort', at: at + 30 } as const],
    [{ is: 'pause', at } as const, { is: 'reopen', at: at + 10 } as const, { is: 'gone', at: at + 20 } as const],
    [{ is: 'dark', at } as const, { is: 'abort', at: at + 90 } as const],
    [{ is: 'dark', at } as const, { is: 'gone', at: at + 5 } as const],
    [{ is: 'reopen', at } as const, { is: 'gone', at: at + 2 } as const],
    [{ is: 'release', at } as const, { is: 'complain', at: at + 12 } as const],
    [{ is: 'drain', at } as const, { is: 'abort', at: at + 12 } as const],
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

/** The small family, which is played with a death at each append: one of each kind of thing that happens, to edits that are undone. */
export function small(): readonly Scenario[] {
  const at = 42;
  const happens: readonly (readonly Happens[])[] = [
    [{ is: 'nothing' }],
    [{ is: 'lost' }],
    [{ is: 'unstarted' }],
    [{ is: 'never' }],
    [{ is: 'unanswered' }],
    ...(['gone', 'pause', 'complain', 'abort', 'cancel', 'reopen', 'release', 'dark'] as const).map(
      (is) => [{ is, at }] as const,
    ),
    [
      { is: 'dark', at },
      { is: 'abort', at: at + 90 },
    ],
    [
      { is: 'pause', at },
      { is: 'gone', at: at + 5 },
    ],
  ];
  return happens.flatMap((each) =>
    [false, true].map((snapshot) => ({
      ...{ class: 'reversible' as const, snapshot, cold: 2, happens: each, crash: null },
    })),
  );
}

/** Scenarios in which another run works beside, with rows in a file. */
export function besides(): readonly Scenario[] {
  return small().map((each) => ({ ...each, beside: true, rows: 'sqlite' }));
}

/** The deaths of a scenario whose journal has some appends: at each, lost or written, or with all that was not flushed. */
export function* deaths(scenario: Scenario, appends: number): Generator<Scenario> {
  for (let append = 1; append <= appends; append += 1)
    for (const when of ['before', 'after', 'lost'] as const) yield { ...scenario, crash: { append, when } };
}
