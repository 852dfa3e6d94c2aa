/** A case, run in a thread of its own: the cases of the audit do not know of each other. */
import { agents } from '../domains/agents.ts';
import { CaseError, readCases, readDomains } from './case.ts';
import { type JudgedCase, judge, type Wanted } from './judge.ts';

/** Runs a case by its domain and name. */
export default async function run({
  domain,
  name,
  wanted,
}: {
  domain: string;
  name: string;
  wanted: Wanted;
}): Promise<JudgedCase> {
  const page = readDomains().find((each) => each.name === domain);
  const given = readCases().find((each) => each.domain === domain && each.name === name);
  const agent = Object.values(agents).find(({ machine }) => machine.id === domain);
  if (agent === undefined || page === undefined || given === undefined)
    throw new CaseError(`there is no agent ${domain}`);
  return judge(agent, page, given, wanted);
}
