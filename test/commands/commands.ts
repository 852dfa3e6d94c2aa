/** The commands that people and programs give a run, as data, and how each is drawn. */
import fc from 'fast-check';
import type { LabName } from './machines.ts';
import { LABS } from './machines.ts';
import type { Fault } from './world.ts';

/** What a name is wrong about. */
type Misnamed = 'skeleton' | 'entity' | 'ordinal' | 'key' | 'signal';

/** One command. Numbers name things by their place among those that there are when it is given. */
export type Command =
  /** Something was found wrong: an instance, and one of its keys where `key` is one; `plain` leaves the ordinal out. */
  | {
      readonly do: 'fail';
      readonly who: number;
      readonly key: number | null;
      readonly plain: boolean;
      readonly instead: boolean;
    }
  | { readonly do: 'misname'; readonly what: Misnamed }
  /** `against`: the opposite of what the journal, or a counterparty that answers, knows. */
  | { readonly do: 'settle'; readonly which: number; readonly as: 'truth' | 'against' | 'no such key' }
  /** Takes an act back by hand, and says so. */
  | { readonly do: 'undo'; readonly which: number }
  | { readonly do: 'answer'; readonly which: number; readonly verdict: 'approved' | 'denied'; readonly by: string }
  | { readonly do: 'reconcile' }
  | { readonly do: 'rerun' }
  /** The event with which the machine ends. */
  | { readonly do: 'event' }
  /** Closes the run, and takes it up again. */
  | { readonly do: 'resume' }
  /** Counterparties answer, and take back, from now on, or do not. */
  | { readonly do: 'counterparty'; readonly knows: boolean; readonly undoes: boolean };

/** A command, and how it is given. */
export interface Given {
  readonly command: Command;
  /** After so many turns of the loop; null once nothing happens any more. */
  readonly after: number | null;
  /** `twice`: two at once. `unawaited`: the next command does not wait for it. `closed`: to a sidecar that was closed, before the run is
   * taken up again. */
  readonly how: 'once' | 'twice' | 'unawaited' | 'closed';
}

/** A run, and all that is done to it. */
export interface Sequence {
  readonly lab: LabName;
  readonly journal: 'memory' | 'file';
  readonly faults: readonly Fault[];
  readonly given: readonly Given[];
}

const nth = fc.nat({ max: 7 });

const fail = fc.record({
  do: fc.constant('fail' as const),
  who: nth,
  key: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
  plain: fc.nat({ max: 3 }).map((draw) => draw === 3),
  instead: fc.nat({ max: 3 }).map((draw) => draw === 3),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fail },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('misname' as const),
      what: fc.constantFrom<Misnamed[]>('skeleton', 'entity', 'ordinal', 'key', 'signal') as fc.Arbitrary<Misnamed>,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      which: nth,
      as: fc.constantFrom('truth' as const, 'truth' as const, 'against' as const, 'no such key' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), which: nth }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat({ max: 3 }),
      verdict: fc.constantFrom('approved' as const, 'approved' as const, 'approved' as const, 'denied' as const),
      by: fc.constantFrom('Ada', 'Ada', 'Ada', ' '),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'reconcile' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'rerun' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'event' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'resume' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('counterparty' as const), knows: fc.boolean(), undoes: fc.boolean() }),
  },
);

const given: fc.Arbitrary<Given> = fc.record({
  command,
  after: fc.option(fc.nat({ max: 14 }), { freq: 2 }),
  how: fc.oneof(
    { weight: 6, arbitrary: fc.constant('once' as const) },
    { weight: 3, arbitrary: fc.constant('unawaited' as const) },
    { weight: 1, arbitrary: fc.constantFrom('twice' as const, 'closed' as const) },
  ),
});

const NAMES = Object.keys(LABS) as LabName[];

function faultsOf(lab: LabName): fc.Arbitrary<Fault[]> {
  const sites = lab === 'mailing' ? [...Object.keys(LABS[lab].sites), 'mail it'] : Object.keys(LABS[lab].sites);
  const fault = fc.record({
    site: fc.constantFrom(...sites),
    does: fc.constantFrom('lost' as const, 'lost' as const, 'broken' as const, 'refused' as const, 'late' as const),
  });
  return fc.array(fault, { maxLength: 2 });
}

/** Sequences of at most so many commands. */
export function sequences(longest = 14): fc.Arbitrary<Sequence> {
  return fc.constantFrom(...NAMES).chain((lab) =>
    fc.record({
      lab: fc.constant(lab),
      journal: fc.constantFrom(
        'memory' as const,
        'memory' as const,
        'memory' as const,
        'memory' as const,
        'file' as const,
      ),
      faults: faultsOf(lab),
      given: fc.array(given, { minLength: 1, maxLength: longest, size: 'max' }),
    }),
  );
}

/** A sequence as a person reads it. */
export function sequenceText({ lab, journal, faults, given }: Sequence): string {
  const lines = given.map(({ command: { do: what, ...more }, after, how }) => {
    const when = after === null ? 'at rest' : `after ${after} turns`;
    return `  ${when}${how === 'once' ? '' : `, ${how}`}: ${what} ${JSON.stringify(more)}`;
  });
  const wrong = faults.map(({ site, does }) => `${site} is ${does}`).join(', ');
  return [`${lab}, journal in ${journal}${wrong === '' ? '' : `, ${wrong}`}`, ...lines].join('\n');
}
