/** The sets of cases that the study runs, from their one page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Case, CaseError, readCases } from '../case.ts';
import { ROOT } from '../root.ts';

/** The sets. */
const SETS = ['direct', 'official', 'regime-balanced', 'witness'] as const;

/** One of them. */
export type SetName = (typeof SETS)[number];

/** The page: the names of the cases, by set and domain. */
const Page = z.record(z.enum(SETS), z.record(z.string(), z.array(z.string())));

/** A case of the study, and the sets that it is in. */
export interface Member {
  readonly given: Case;
  readonly sets: readonly SetName[];
}

/** Every case of the study, each once. @throws CaseError for one that there is not. */
export function readSets(): readonly Member[] {
  const page = Page.parse(parse(readFileSync(join(ROOT, 'audit', 'langgraph', 'sets.yaml'), 'utf8')));
  const all = readCases();
  const members = new Map<string, { given: Case; sets: SetName[] }>();
  for (const set of SETS) {
    for (const [domain, names] of Object.entries(page[set])) {
      for (const name of names) {
        const given = all.find((each) => each.domain === domain && each.name === name);
        if (given === undefined) throw new CaseError(`the study names ${domain}/${name}, and there is no such case`);
        const known = members.get(`${domain}/${name}`) ?? { given, sets: [] };
        known.sets.push(set);
        members.set(`${domain}/${name}`, known);
      }
    }
  }
  return [...members.values()];
}
