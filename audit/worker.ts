/** One task of the audit, run in a thread: cases do not know of each other, and neither do the sites of the experiments. */
import type { Agent } from 'belay-sidecar/xstate';
import { agents } from '../domains/agents.ts';
import { chosen } from '../domains/planner/chosen.ts';
import { scheduleForm } from '../domains/schedule-form/agent.ts';
import { MailServer } from '../domains/schedule-form/mail.ts';
import { scripted } from '../domains/schedule-form/planner.ts';
import { counted, type Part } from './atomix/study.ts';
import { type Case, CaseError, type Domain, readCases, readDomains } from './case.ts';
import { depths, overhead, signalled, wrongEdge } from './experiments.ts';
import { interruptions, type Share } from './interruptions/study.ts';
import { judge, type Wanted } from './judge.ts';
import { study, witness } from './langgraph/study.ts';
import { sweep } from './sweep.ts';

/** The requests to a thread, always about a case. */
export type Task =
  | { readonly do: 'judge'; readonly domain: string; readonly case: string; readonly wanted: Wanted }
  | { readonly do: 'signals' | 'edge' | 'witness' | 'sweep'; readonly domain: string; readonly case: string }
  | {
      readonly do: 'study';
      readonly domain: string;
      readonly case: string;
      readonly sets: readonly string[];
      readonly repeat: number;
    }
  | { readonly do: 'interruptions'; readonly domain: string; readonly case: string; readonly share: Share }
  | { readonly do: 'atomix'; readonly domain: string; readonly case: string; readonly part: Part }
  | { readonly do: 'depths'; readonly domain: string; readonly case: string; readonly inputs: readonly unknown[] }
  | { readonly do: 'overhead'; readonly domain: string; readonly case: string; readonly times: number };

/** The agents, in worlds that are cheap to open: no process each, since none of them dies here. */
const CHEAP: Readonly<Record<string, Agent>> = {
  ...agents,
  scheduleForm: scheduleForm(chosen(scripted, process.env), MailServer.here),
};

/** Runs a task. @throws CaseError where there is no such agent or case. */
export default async function run(task: Task): Promise<unknown> {
  // The agents of that study hear words, and have inputs of their own.
  if (task.do === 'interruptions') return interruptions(task.domain, task.share);
  if (task.do === 'atomix') return counted(task.part);
  const { agent, domain, given } = found(task);
  switch (task.do) {
    case 'judge':
      return judge(agent, domain, given, task.wanted);
    case 'signals':
      return signalled(agent, given);
    case 'edge':
      return wrongEdge(agent, domain, given);
    case 'study':
      return study(agent, domain, given, task.sets, task.repeat);
    case 'witness':
      return witness(agent, domain, given);
    case 'sweep':
      return sweep(agent, domain, given);
    case 'depths':
      return depths(agent, given, task.inputs);
    case 'overhead':
      return overhead(agent, given, task.times);
  }
}

function found({ domain: of, case: name }: Task): { agent: Agent; domain: Domain; given: Case } {
  const domain = readDomains().find((each) => each.name === of);
  const given = readCases().find((each) => each.domain === of && each.name === name);
  const agent = Object.values(CHEAP).find(({ machine }) => machine.id === of);
  if (agent === undefined || domain === undefined || given === undefined)
    throw new CaseError(`there is no case ${of}/${name} of an agent that there is`);
  return { agent, domain, given };
}
