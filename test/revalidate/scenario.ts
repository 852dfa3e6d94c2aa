/** What is tried about second looks (semantics.md RV1 to RV5): a machine, a price that moves, and what happens meanwhile. */

/** How the price comes to the act: by itself, through a choice, through a person's event, behind a gate, or as a held call at its commit. */
const SHAPES = ['plain', 'chosen', 'asked', 'gated', 'held'] as const;
const CLASSES = ['irreversible', 'compensable', 'reversible', 'idempotent'] as const;

/** One thing that happens, at a number of seconds. */
type Happens =
  | { readonly is: 'nothing' }
  | { readonly is: 'pause' | 'complain' | 'revise'; readonly at: number }
  /** The first reply of the act is lost, or the second look fails. */
  | { readonly is: 'lost' | 'blind' };

/** One scenario; times in seconds. */
export interface Scenario {
  readonly shape: (typeof SHAPES)[number];
  readonly class: (typeof CLASSES)[number];
  /** How long an answer is good for; null for a snapshot. */
  readonly good: number | null;
  /** When the price moves: each time by one. */
  readonly moves: readonly number[];
  readonly happens: Happens;
  /** The append at which the process dies, and how long the run is left alone; null for no death. */
  readonly crash: { readonly append: number; readonly when: 'before' | 'after'; readonly idle: number } | null;
}

/** The sets of moments at which a price moves: before the act, at it, and in the replays behind. */
const MOVES: readonly (readonly number[])[] = [[], [30], [63], [30, 100], [63, 130], [30, 100, 170], [2, 64, 66]];

const HAPPENS: readonly Happens[] = [
  { is: 'nothing' },
  { is: 'pause', at: 20 },
  { is: 'pause', at: 66 },
  { is: 'complain', at: 20 },
  { is: 'complain', at: 66 },
  { is: 'revise', at: 66 },
  { is: 'lost' },
  { is: 'blind' },
];

/** Every scenario without a death. */
export function scenarios(good: readonly (number | null)[] = [0, 30]): readonly Scenario[] {
  const kinds = SHAPES.flatMap((shape) =>
    CLASSES.flatMap((kind) => good.map((time) => ({ shape, class: kind, good: time }))),
  );
  return kinds
    .flatMap((one) => MOVES.flatMap((moves) => HAPPENS.map((happens) => ({ ...one, moves, happens, crash: null }))))
    .filter(({ shape, happens }) => happens.is !== 'revise' || shape === 'asked');
}

/** The deaths of a scenario whose journal has some appends: at each, lost or written, and taken up at once or later. */
export function* deaths(scenario: Scenario, appends: number): Generator<Scenario> {
  for (let append = 1; append <= appends; append += 1)
    for (const when of ['before', 'after'] as const)
      for (const idle of [1, 90]) yield { ...scenario, crash: { append, when, idle } };
}
