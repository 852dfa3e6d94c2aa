/** A case, run in a thread of its own: the cases of the audit do not know of each other. */
import { agents } from '../domains/agents.ts';
import { scheduleForm } from '../domains/schedule-form/agent.ts';
import { MailServer } from '../domains/schedule-form/mail.ts';
import { scripted } from '../domains/schedule-form/planner.ts';
import { CaseError, readCases, readDomains } from './case.ts';
import { type JudgedCase, judge, type Wanted } from './judge.ts';

/** The agents, in worlds that are cheap to open: no process each, since none of them dies here. */
const CHEAP = { ...agents, scheduleForm: scheduleForm(scripted, MailServer.here) };

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
  const agent = Object.values(CHEAP).find(({ machine }) => machine.id === domain);
  if (agent === undefined || page === undefined || given === undefined)
    throw new CaseError(`there is no agent ${domain}`);
  return judge(agent, page, given, wanted);
}
