/** The study of interruptions: what each way costs and leaves, by kind and place, and what is refused. */
import type { Other } from '../interruptions/others.ts';
import { KINDS } from '../interruptions/scenarios.ts';
import type { Cost, Interrupted } from '../interruptions/study.ts';
import type { PostInterruptions } from '../paper.ts';
import { beside, type Cell, only, type Table, type Value } from '../workloads/table.ts';

/** The least ratio of a restart's redone steps to Belay's, over all acts. */
const GOAL = 8;

const PLACES = ['early', 'middle', 'late'] as const;

/** The place of an interruption: the third of the run that it comes in. */
function placeOf({ at, of }: Interrupted): (typeof PLACES)[number] {
  return PLACES[Math.min(2, Math.floor((3 * at) / of))] ?? 'late';
}

const sum = (rows: readonly Interrupted[], count: (row: Interrupted) => number): number =>
  rows.reduce((total, row) => total + count(row), 0);
const isCarriedOut = ({ is, others }: Interrupted) => is !== 'refused' && others !== null;
const costOf = (way: Other | 'belay', { belay, others }: Interrupted): Cost | null =>
  way === 'belay' ? belay : (others?.[way] ?? null);
const redone = (rows: readonly Interrupted[], way: Other | 'belay') =>
  sum(rows, (row) => costOf(way, row)?.redone ?? 0);
const leftBy = (rows: readonly Interrupted[], way: Other | 'belay') =>
  sum(rows, (row) => {
    const { duplicates = 0, unexpected = 0 } = costOf(way, row)?.difference ?? {};
    return duplicates + unexpected;
  });
const centsOf = (rows: readonly Interrupted[], way: Other | 'belay') =>
  sum(rows, (row) => costOf(way, row)?.cents ?? 0);

/** How many times as many steps a restart redoes; null where Belay redoes none. */
export function ratioOf(rows: readonly Interrupted[]): number | null {
  const own = redone(rows, 'belay');
  return own === 0 ? null : Math.round((10 * redone(rows, 'restart')) / own) / 10;
}

/** The tables of the study. */
export function interruptionTables(rows: readonly Interrupted[], post: PostInterruptions): readonly Table[] {
  return [placesTable(rows), agentsTable(rows), refusalsTable(rows), taxonomyTable(rows, post)];
}

const WAYS = [
  { key: 'belay', title: 'redone: Belay' },
  { key: 'ecr', title: 'ECR' },
  { key: 'checkpoint', title: 'checkpoint' },
  { key: 'restart', title: 'restart' },
  { key: 'ratio', title: 'restart / Belay' },
  { key: 'alike', title: 'given the same' },
  { key: 'needless', title: 'without a path' },
  { key: 'left', title: 'left or doubled: Belay' },
  { key: 'leftEcr', title: 'ECR' },
  { key: 'leftCheckpoint', title: 'checkpoint' },
  { key: 'leftRestart', title: 'restart' },
  { key: 'cents', title: 'cents too many: Belay' },
  { key: 'centsEcr', title: 'ECR' },
  { key: 'centsRestart', title: 'restart' },
] as const;

function waysOf(rows: readonly Interrupted[]): Cell[] {
  const done = rows.filter(isCarriedOut);
  const ways = ['belay', 'ecr', 'checkpoint', 'restart'] as const;
  return [
    ...ways.map((way) => redone(done, way)),
    ratioOf(done),
    sum(done, ({ belay }) => belay.alike),
    sum(done, ({ belay }) => belay.needless),
    ...ways.map((way) => leftBy(done, way)),
    ...(['belay', 'ecr', 'restart'] as const).map((way) => centsOf(done, way)),
  ].map(only);
}

function counts(rows: readonly Interrupted[]): Cell[] {
  const own = rows.filter(({ others }) => others !== null);
  return [only(own.length), only(own.filter(isCarriedOut).length)];
}

const COUNTS = [
  { key: 'acts', title: 'acts' },
  { key: 'done', title: 'carried out' },
] as const;

function placesTable(rows: readonly Interrupted[]): Table {
  const groups = KINDS.flatMap((kind) =>
    PLACES.map((place) => [kind, place, rows.filter((row) => row.kind === kind && placeOf(row) === place)] as const),
  );
  const ratio = ratioOf(rows.filter(isCarriedOut));
  const isMet = ratio === null || ratio >= GOAL;
  return {
    id: 'interruptions',
    title: 'Interruptions: by kind and place',
    notes: [
      'Each of the five agents is interrupted at every step, with the calls under way made and not made. Redone: steps that had been done, are done again, and are more than the run needs that was told so from the beginning. Left or doubled: rows of the world beyond that run. All of it over the acts that Belay carries out; an act that it refuses is in the table of refusals.',
      'ECR goes back to the earliest answer that the run would not have had, and undoes what lies behind; checkpoint goes back to before the event, and undoes nothing; restart starts over with the new words. None of the three has a ledger. An addition takes nothing back under the first two.',
      'Given the same: steps that were asked what they had been asked before. Without a path: those of them that have read nothing of the act, nor of what rests on it, that no answer leads to that leads elsewhere now, and whose unit holds no such step: a unit is redone from a boundary.',
      `The goal over all acts is a ratio of at least ${GOAL}: ${isMet ? 'met' : `missed, with ${ratio}`}.`,
    ],
    columns: [{ key: 'kind', title: 'kind' }, { key: 'place', title: 'place' }, ...COUNTS, ...WAYS],
    groups: 1,
    rows: [
      ...groups.map(([kind, place, of]) => [only(kind), only(place), ...counts(of), ...waysOf(of)]),
      [only('all'), only('all'), ...counts(rows), ...waysOf(rows)],
    ],
  };
}

function agentsTable(rows: readonly Interrupted[]): Table {
  const names = [...new Set(rows.map(({ domain, kind, about }) => `${domain}\t${kind}\t${about}`))].sort();
  return {
    id: 'interruptions-agents',
    title: 'Interruptions: by agent and word',
    notes: ['The same, by what is said: input is the request of the run, APPROVE the approval of its last part.'],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'kind', title: 'kind' },
      { key: 'about', title: 'about' },
      ...COUNTS,
      ...WAYS,
    ],
    groups: 1,
    rows: names.map((name) => {
      const [domain = '', kind = '', about = ''] = name.split('\t');
      const of = rows.filter((row) => row.domain === domain && row.kind === kind && row.about === about);
      return [only(domain), only(kind), only(about), ...counts(of), ...waysOf(of)];
    }),
  };
}

/** The reasons for which an act is refused, by their codes. */
const REASONS: Readonly<Record<string, string>> = {
  committed_consumers_present: 'a unit has promised what rests on the event',
  irreversible_effect_policy: 'an act that cannot be undone would stand without its cause',
  unclaimed_effect: 'an idempotent act would be asked something else, or never come again',
  effect_outcome_unknown: 'a call is under way, and nobody can be asked about it',
  steer_not_yours: 'another one sent the event',
  not_taken: 'no state takes the word any more',
};

function refusalsTable(rows: readonly Interrupted[]): Table {
  const refused = rows.filter(({ is }) => is === 'refused');
  const names = [...new Set(refused.map(({ code, kind, by }) => `${code}\t${kind}\t${by}`))].sort();
  const own = (of: readonly Interrupted[], value: number): Value =>
    of.some(({ others }) => others !== null) ? value : null;
  return {
    id: 'interruptions-refused',
    title: 'Interruptions: what is refused, and why',
    notes: [
      'A refusal moves nothing: the run ends as if nothing was said. Beside it what the others leave over or double where Belay refuses; they were asked where the act is its sender’s.',
    ],
    columns: [
      { key: 'code', title: 'code' },
      { key: 'means', title: 'means' },
      { key: 'kind', title: 'kind' },
      { key: 'by', title: 'said by' },
      { key: 'count', title: 'refused' },
      { key: 'leftEcr', title: 'left or doubled: ECR' },
      { key: 'leftCheckpoint', title: 'checkpoint' },
      { key: 'leftRestart', title: 'restart' },
    ],
    groups: 2,
    rows: names.map((name) => {
      const [code = '', kind = '', by = ''] = name.split('\t');
      const of = refused.filter((row) => row.code === code && row.kind === kind && row.by === by);
      const left = (['ecr', 'checkpoint', 'restart'] as const).map((way) => only(own(of, leftBy(of, way))));
      return [only(code), only(REASONS[code] ?? null), only(kind), only(by), only(of.length), ...left];
    }),
  };
}

function taxonomyTable(rows: readonly Interrupted[], { source, lessThanRestart, kinds }: PostInterruptions): Table {
  const ratio = (of: readonly Interrupted[]) =>
    beside(ratioOf(of.filter(isCarriedOut)), lessThanRestart, 'higher', false);
  const line = (kind: string, of: readonly Interrupted[]) => {
    const { example = null, transaction = null, handling = null } = kinds[kind] ?? {};
    const own = of.filter(({ others }) => others !== null);
    const refused = own.filter(({ is }) => is === 'refused').length;
    const right = own.filter(({ wrong }) => wrong.length === 0).length;
    const share = own.length === 0 ? null : Math.round((1000 * refused) / own.length) / 1000;
    return [
      only(kind),
      ...[example, transaction, handling].map(only),
      only(right),
      only(own.length),
      only(share),
      ratio(of),
    ];
  };
  return {
    id: 'interruptions-taxonomy',
    title: 'Interruptions: beside the published taxonomy',
    notes: [
      `${source}. What it says of each kind stands under its three headings; its headline is that conflicts found early waste an order of magnitude fewer steps than a restart at the same quality. It measures models at tasks of a benchmark, and this study agents with scripted planners: the two ratios are not comparable. That every model loses capability when it is interrupted has no counterpart here: right counts the runs that end as the run that was told so from the beginning, or as if nothing was said where the act is refused.`,
    ],
    columns: [
      { key: 'kind', title: 'kind' },
      { key: 'example', title: 'its example' },
      { key: 'transaction', title: 'as a transaction' },
      { key: 'handling', title: 'its handling' },
      { key: 'right', title: 'right here' },
      { key: 'of', title: 'of' },
      { key: 'refused', title: 'share refused' },
      { key: 'ratio', title: 'restart / Belay', better: 'higher' },
    ],
    rows: [
      ...KINDS.map((kind) =>
        line(
          kind,
          rows.filter((row) => row.kind === kind),
        ),
      ),
      line('all', rows),
    ],
  };
}

/** Everything in the study that is not as it has to be, in words. */
export function wrongInterruptions(rows: readonly Interrupted[]): readonly string[] {
  return rows.flatMap(({ domain, kind, about, at, of, by, made, wrong }) =>
    wrong.map((what) => {
      const calls = made ? 'calls under way made' : 'calls under way not made';
      return `interruptions, ${domain}: ${kind} of ${about} at ${at} of ${of} by ${by}, ${calls}: ${what}`;
    }),
  );
}
