/** Holds a table of answers against the law: what can be reached under it, what it answers there, who is waited for, and whether the end can be come to. */
import { type Answer, answer } from '../../src/sidecar/lifecycle/answers.ts';
import { statusOf, waitsFor } from '../../src/sidecar/lifecycle/status.ts';
import {
  type Configuration,
  QUESTIONS,
  type Question,
  REGIONS,
  type RegionOfLife,
  type Table,
} from '../../src/sidecar/lifecycle/table.ts';
import type { Transition } from './transition.ts';
import { TRANSITIONS } from './transitions.ts';

export const ALL = Object.keys(QUESTIONS) as readonly Question[];
const NAMES = Object.keys(REGIONS) as readonly RegionOfLife[];
const MOVES = ['deliver', 'answer', 'call', 'leave', 'leaveApproved', 'act', 'claim'] as const;

/** A configuration that can be reached, and what leads out of it. */
export interface Reached {
  readonly at: Configuration;
  readonly out: { readonly by: Transition; readonly to: string }[];
}

export const keyOf = (configuration: Configuration): string => NAMES.map((name) => configuration[name]).join(' ');

const FIRST: Configuration = {
  hold: 'none',
  will: 'unbegun',
  question: 'clear',
  machine: 'absent',
  commit: 'quiet',
  pause: 'off',
  attempt: 'none',
  mandate: 'stands',
  verdict: 'none',
};

/** Everything that can be reached under a table. */
export function reached(table: Table, transitions: readonly Transition[] = TRANSITIONS): Map<string, Reached> {
  const seen = new Map<string, Reached>([[keyOf(FIRST), { at: FIRST, out: [] }]]);
  const todo = [FIRST];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const node = seen.get(keyOf(at)) as Reached;
    for (const by of transitions) {
      if (!isEnabled(by, at, table)) continue;
      const next = { ...at, ...by.to(at) };
      const to = keyOf(next);
      node.out.push({ by, to });
      if (seen.has(to)) continue;
      seen.set(to, { at: next, out: [] });
      todo.push(next);
    }
  }
  return seen;
}

function isEnabled({ on, ask }: Transition, at: Configuration, table: Table): boolean {
  for (const name of NAMES) {
    const states = on[name] as readonly string[] | undefined;
    if (states !== undefined && !states.includes(at[name])) return false;
  }
  return ask === undefined || answer(ask, at, table).is === 'yes';
}

/** A rule of the law: where it holds, and the questions that are not answered yes there. */
type Rule = readonly [name: string, where: (at: Configuration) => boolean, not: readonly Question[]];

const OPEN_QUESTION = ['asking', 'parked', 'rejudging'] as const;
const isOneOf = <T extends string>(state: T, states: readonly T[]) => states.includes(state);

const LAW: readonly Rule[] = [
  [
    'LC7 a process that leaves begins nothing, and takes nothing in',
    ({ hold }) => hold === 'leaving',
    [
      ...MOVES,
      'receive',
      'ask',
      'complain',
      'approve',
      'cancel',
      'decide',
      'plan',
      'carry',
      'commit',
      'publish',
      'end',
    ],
  ],
  [
    'J4 a journal that refuses takes nothing',
    ({ hold }) => hold === 'broken',
    ALL.filter((question) => question !== 'rest'),
  ],
  [
    '§11 a run is taken up before its machine is there',
    ({ hold, machine }) => hold === 'opening' || machine === 'absent',
    MOVES,
  ],
  [
    '§11 what the last process left comes before complaints',
    ({ hold, machine }) => hold === 'opening' || machine === 'asleep',
    ['complain'],
  ],
  ['§11 a machine that is not started is handed nothing', ({ machine }) => machine === 'asleep', MOVES],
  [
    'F3, AB1 a run that a person ends acts no more, restores nothing and begins no commit',
    ({ will }) => isOneOf(will, ['cancelling', 'aborting']),
    [...MOVES, 'decide', 'plan', 'commit', 'complain', 'approve', 'cancel'],
  ],
  [
    'AL4, JU1 nothing is chosen or judged beside a question or a pause, without its machine, or behind the end',
    ({ hold, will, question, machine, pause }) =>
      hold === 'leaving' ||
      isOneOf(will, ['cancelling', 'aborting', 'finishing', 'over']) ||
      question !== 'clear' ||
      machine !== 'awake' ||
      pause === 'on',
    ['choose', 'judge'],
  ],
  [
    'C9 behind the end nothing is redone',
    ({ will }) => will === 'finishing',
    [...MOVES, 'decide', 'plan', 'carry', 'complain', 'approve', 'cancel', 'end', 'base'],
  ],
  [
    'over is over, and what comes is read to be refused',
    ({ will }) => will === 'over',
    ALL.filter((question) => !isOneOf(question, ['rest', 'receive', 'outcome'])),
  ],
  [
    'C9 what comes to a machine at its end waits for the decision about it',
    ({ will }) => will === 'ending',
    ['deliver', 'call'],
  ],
  [
    'an end is written where the machine is at its end, or a person ends the run',
    ({ will }) => isOneOf(will, ['unbegun', 'going']),
    ['end'],
  ],
  [
    'C5 nothing is taken over and no end written while anything is in question',
    ({ question }) => question !== 'clear',
    ['claim', 'end'],
  ],
  [
    'LC5 nothing leaves, is committed or kept on what a complaint is about',
    ({ question }) => question === 'suspecting',
    ['call', 'leave', 'leaveApproved', 'commit'],
  ],
  [
    'R5, LC6 while a plan is carried out nothing is decided, begun or published',
    ({ question }) => question === 'carrying',
    [...MOVES, 'decide', 'plan', 'commit', 'publish', 'rest'],
  ],
  [
    'E5 while an undo is owed nothing is decided, and no complaint taken',
    ({ question }) => question === 'stuck',
    [...MOVES, 'decide', 'plan', 'carry', 'commit', 'publish', 'complain'],
  ],
  [
    'C11 parked: no event, step or call but an approved one, and no new commit',
    ({ question }) => isOneOf(question, OPEN_QUESTION),
    ['deliver', 'answer', 'call', 'leave', 'commit'],
  ],
  [
    'LC5 not even an approved call, while questions are asked again',
    ({ question }) => question === 'rejudging',
    ['leaveApproved'],
  ],
  [
    'C5a until work set aside is claimed, nothing new',
    ({ machine }) => machine === 'claiming',
    ['deliver', 'answer', 'call', 'base', 'end'],
  ],
  ['E4 what is promised is visible before calls go on', ({ commit }) => commit !== 'quiet', ['call', 'end']],
  [
    'E4 no decision beside a publication',
    ({ commit }) => isOneOf(commit, ['preparing', 'publishing']),
    ['decide', 'plan'],
  ],
  [
    'LC10 a paused run decides, begins and ends nothing',
    ({ pause }) => pause === 'on',
    [...MOVES, 'ask', 'decide', 'plan', 'carry', 'commit', 'end'],
  ],
  [
    'FK8 before the choice an attempt makes no call that nothing takes back, commits nothing, and does not end',
    ({ attempt }) => attempt !== 'none',
    ['leaveForGood', 'commit', 'end'],
  ],
  [
    'MD3 a run without its mandate changes nothing, and decides no commit',
    ({ mandate }) => mandate !== 'stands',
    ['act', 'commit'],
  ],
  [
    'JU1 nothing goes on behind a boundary that waits for its verdict',
    ({ verdict }) => verdict !== 'none',
    ['deliver', 'answer', 'call', 'claim', 'commit', 'choose', 'end'],
  ],
  [
    'a run that something of moves is not at rest',
    ({ hold, question, commit }) =>
      hold === 'opening' ||
      isOneOf(question, ['deciding', 'suspecting', 'rejudging']) ||
      isOneOf(commit, ['preparing', 'publishing']),
    ['rest'],
  ],
];

/** What the answers have to keep together, whichever row gave them. */
const INVARIANTS: readonly (readonly [
  string,
  (at: Configuration, is: (question: Question) => Answer['is']) => boolean,
])[] = [
  [
    'a process that holds a run receives',
    ({ hold, will }, is) => !isOneOf(hold, ['opening', 'held']) || will === 'over' || is('receive') === 'yes',
  ],
  [
    'an outcome is written in every state of a process that can write',
    ({ hold, will }, is) =>
      !isOneOf(hold, ['opening', 'held', 'leaving']) || will === 'over' || is('outcome') === 'yes',
  ],
  ['a call that leaves can be answered', (_, is) => is('leave') !== 'yes' || is('outcome') === 'yes'],
  [
    'running says that an event is taken, or what is done instead',
    (at, is) =>
      statusOf(at) !== 'running' ||
      is('deliver') === 'yes' ||
      at.machine === 'claiming' ||
      at.commit !== 'quiet' ||
      at.verdict === 'awaited',
  ],
  [
    'stuck is called stuck (LC3)',
    (at) => at.question !== 'stuck' || isOneOf(statusOf(at), ['stuck', 'paused', 'broken', 'over']),
  ],
  [
    'parked is called parked (LC3)',
    (at) => at.question !== 'parked' || isOneOf(statusOf(at), ['parked', 'paused', 'broken', 'over']),
  ],
];

/** What is wrong with a table; empty where nothing is. */
export function wrongIn(table: Table): string[] {
  const graph = reached(table);
  const nodes = [...graph.values()];
  const found = [...unreached(nodes), ...unlawful(nodes, table), ...deadEnds(nodes), ...nameless(nodes)];
  return [...found, ...withoutEnd(graph)];
}

function unreached(nodes: readonly Reached[]): string[] {
  const states = NAMES.flatMap((name) =>
    REGIONS[name]
      .filter((state) => !nodes.some(({ at }) => at[name] === state))
      .map((state) => `never reached: ${name} ${state}`),
  );
  const taken = new Set(nodes.flatMap(({ out }) => out.map(({ by }) => by)));
  return [...states, ...TRANSITIONS.filter((one) => !taken.has(one)).map(({ name }) => `never taken: ${name}`)];
}

/** What the answers of a table break of the law in configurations that can be reached under it. */
export function unlawful(nodes: readonly Pick<Reached, 'at'>[], table: Table): string[] {
  const found: string[] = [];
  for (const { at } of nodes) {
    const is = (question: Question) => answer(question, at, table).is;
    for (const [name, where, not] of LAW) {
      const broken = at.hold === 'none' || !where(at) ? undefined : not.find((question) => is(question) === 'yes');
      if (broken !== undefined) found.push(`${name}: ${broken} in ${keyOf(at)}`);
    }
    for (const [name, holds] of INVARIANTS) if (!holds(at, is)) found.push(`${name}: not in ${keyOf(at)}`);
  }
  return found;
}

/** Configurations that only a death or a close leads out of. */
function deadEnds(nodes: readonly Reached[]): string[] {
  const leads = ({ by }: Reached['out'][number]) => by.by !== 'death' && by.by !== 'process';
  return nodes.flatMap(({ at, out }) =>
    at.will === 'over' || at.hold === 'broken' || out.some(leads) ? [] : [`dead end: ${keyOf(at)}`],
  );
}

const PARTIES: Readonly<Record<ReturnType<typeof waitsFor>[number]['for'], readonly Transition['by'][]>> = {
  worker: ['worker'],
  process: ['process'],
  program: ['program'],
  person: ['person'],
  counterparty: ['world'],
  area: ['world'],
  verdict: ['world', 'person'],
  choice: ['person'],
  event: ['world', 'run', 'person'],
};

/** Where neither the run nor the world moves it, somebody is named who can. */
function nameless(nodes: readonly Reached[]): string[] {
  return nodes.flatMap(({ at, out }) => {
    if (at.will === 'over' || out.some(({ by }) => by.by === 'run')) return [];
    const named = waitsFor(at).filter(({ isNext }) => isNext !== true);
    if (named.length === 0) return [`waits for nobody: ${keyOf(at)}`];
    const can = new Set(out.map(({ by }) => by.by));
    const idle = named.every((one) => !PARTIES[one.for].some((party) => can.has(party)));
    return idle ? [`${keyOf(at)} names ${named.map((one) => one.for).join(', ')}, who can do nothing`] : [];
  });
}

/** Configurations from which the end cannot be come to, though all parties are honest. */
function withoutEnd(graph: Map<string, Reached>): string[] {
  const before = new Map<string, string[]>();
  for (const [key, { out }] of graph)
    for (const { by, to } of out)
      if (by.by !== 'death' && (by.by !== 'process' || by.name === 'fall'))
        before.set(to, [...(before.get(to) ?? []), key]);
  const ends = [...graph].flatMap(([key, { at }]) => (at.will === 'over' ? [key] : []));
  const seen = new Set(ends);
  for (let key = ends.pop(); key !== undefined; key = ends.pop())
    for (const earlier of before.get(key) ?? [])
      if (!seen.has(earlier)) {
        seen.add(earlier);
        ends.push(earlier);
      }
  return [...graph.keys()].filter((key) => !seen.has(key)).map((key) => `without an end: ${key}`);
}
