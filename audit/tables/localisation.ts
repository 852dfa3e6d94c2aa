/** The localisation audit (DART table 23): whether the instance that is restored is the one that failed. */

import { FROZEN } from '../case.ts';
import type { JudgedCase } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';

/** Runs whose instance and checkpoint are those of their case, under the strategies that decide. */
export function alignedOf(judged: readonly JudgedCase[], strategy: (typeof FROZEN)[number]) {
  const rows = judged.flatMap((each) => each.rows.filter((row) => row.strategy === strategy));
  const off = rows.filter(({ mismatches }) => mismatches.some((text) => /^(instance|checkpoint) /.test(text)));
  return { rows: rows.length, aligned: rows.length - off.length };
}

/** The instance that was meant, and those that could have been. */
export function localisationTable(judged: readonly JudgedCase[], { localisation: theirs }: Paper): Table {
  const sum = (of: (each: JudgedCase['localisation']) => number) =>
    judged.reduce((all, each) => all + of(each.localisation), 0);
  const aligned = FROZEN.flatMap((strategy) => {
    const { rows, aligned } = alignedOf(judged, strategy);
    return rows === 0
      ? []
      : [
          [
            only(`rows aligned with their case, of ${rows} (${strategy})`),
            beside(aligned, theirs.aligned, 'equal', rows === theirs.rows),
          ],
        ];
  });
  return {
    id: 'localisation',
    title: 'Localisation',
    notes: [
      'A row is aligned where the failed instance and the checkpoint that it goes back to are those of the reviewed case.',
      'Ambiguous are the instances that would share their name with another if names had no ordinals; an alias is such a name. How many there are depends on the cases.',
    ],
    columns: [
      { key: 'what', title: '' },
      { key: 'count', title: 'count', better: 'equal' },
    ],
    rows: [
      ...aligned,
      [
        only('instances'),
        beside(
          sum(({ instances }) => instances),
          theirs.instances,
          'equal',
          false,
        ),
      ],
      [
        only('ambiguous without ordinals'),
        beside(
          sum(({ ambiguous }) => ambiguous),
          theirs.ambiguous,
          'equal',
          false,
        ),
      ],
      [
        only('names that several would share'),
        beside(
          sum(({ aliases }) => aliases.length),
          theirs.aliases,
          'equal',
          false,
        ),
      ],
    ],
  };
}

/**
 * The result of a name without its ordinal, where that matters; and for each domain of the paper, one where it does not
 * or does.
 */
export function probesTable(judged: readonly JudgedCase[], { localisation: theirs }: Paper): Table {
  const seen = new Set<string>();
  const chosen = judged.filter(({ domain, localisation }) => {
    const isProbe =
      localisation.candidates > 1 || (domain in theirs.probes && !seen.has(domain) && !isAliased(judged, domain));
    if (isProbe) seen.add(domain);
    return isProbe && localisation.weakened !== null;
  });
  return {
    id: 'probes',
    title: 'Names without ordinals',
    notes: [
      'Where several instances fit, nobody is meant and nothing is restored. The last columns say what comes of taking the older one all the same: rows of the world that are there twice, lost and wrong.',
    ],
    columns: [
      { key: 'case', title: 'case' },
      { key: 'candidates', title: 'could be' },
      { key: 'fits', title: 'fits', better: 'equal' },
      { key: 'answer', title: 'the answer' },
      { key: 'stale', title: 'the older one' },
      { key: 'duplicates', title: 'twice' },
      { key: 'missing', title: 'lost' },
      { key: 'unexpected', title: 'wrong' },
    ],
    rows: chosen.map(({ domain, name, localisation: { candidates, weakened, stale } }) => {
      const difference = stale?.forced.difference;
      return [
        only(`${domain}/${name}`),
        only(candidates),
        beside(candidates > 1 ? 'ambiguous' : 'unique', theirs.probes[domain], 'equal'),
        only(candidates > 1 ? (weakened?.codes.join(', ') ?? null) : 'the same'),
        only(stale?.instance ?? null),
        only(difference?.duplicates ?? null),
        only(difference?.missing ?? null),
        only(difference?.unexpected ?? null),
      ];
    }),
  };
}

function isAliased(judged: readonly JudgedCase[], domain: string): boolean {
  return judged.some((each) => each.domain === domain && each.localisation.candidates > 1);
}
