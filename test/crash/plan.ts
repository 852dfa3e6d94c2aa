/** Which kills are tried: at every append, at every pair of phases, by the counterparty in the middle of a call, and at random. */
import type { Fault } from './counterparty.ts';
import { MOMENTS, type Moment, PHASES } from './deadly.ts';
import { AGENTS, type AgentName } from './machines.ts';
import type { Trial } from './trial.ts';

/** A run with nobody to ask must not lose a reply by itself: it would always end with a person. */
function faultsOf(agent: AgentName, reconcile: boolean): readonly Fault[] {
  return reconcile ? AGENTS[agent].faults : AGENTS[agent].faults.filter(({ does }) => does !== 'lose');
}

/** One kill at every append of a run that has so many. */
export function atEveryAppend(
  agent: AgentName,
  appends: number,
  moments: readonly Moment[] = MOMENTS,
  reconcile = true,
): Trial[] {
  const faults = faultsOf(agent, reconcile);
  return Array.from({ length: appends }, (_, index) => index + 1).flatMap((at) =>
    moments.map((when) => ({ agent, faults, reconcile, kills: [{ at, when }] })),
  );
}

/** Every third of a list, from its first, second or third one on: what a change is held to, where the soak tries all. */
export function thirdOf<T>(list: readonly T[], from: 0 | 1 | 2 = 0): T[] {
  return list.filter((_, index) => index % 3 === from);
}

/** Two kills, at any append of a run and at any of what is left of it. */
export function atEveryTwoAppends(agent: AgentName, appends: number): Trial[] {
  return atEveryAppend(agent, appends, ['durable']).flatMap(({ kills, ...trial }) =>
    Array.from({ length: appends }, (_, index) => ({
      ...trial,
      kills: [...kills, { at: index + 1, when: 'durable' as const }],
    })),
  );
}

/** Two kills, at any phase of a recovery and at any phase of what is left of it, or of the next one. */
export function atEveryTwoPhases(moments: readonly (readonly [Moment, Moment])[], reconcile = true): Trial[] {
  const { faults } = AGENTS.booking;
  return PHASES.flatMap((first) =>
    PHASES.flatMap((second) =>
      moments.map(([one, other]) => ({
        agent: 'booking' as const,
        faults,
        reconcile,
        kills: [
          { at: first, when: one },
          { at: second, when: other },
        ],
      })),
    ),
  );
}

const CALLS: readonly (readonly [AgentName, string])[] = [
  ['sequential', 'send'],
  ['parallel', 'note'],
  ['nested', 'send'],
  ['booking', 'book'],
  ['booking', 'unbook'],
  ['booking', 'send'],
  ['slots', 'send 1'],
  ['gated', 'send'],
  ['posting', 'debit'],
  ['posting', 'credit'],
];

/** Killed by the counterparty, before it has acted and after: at a call, or at an undo. */
export function byTheCounterparty(reconcile: boolean): Trial[] {
  return CALLS.flatMap(([agent, site]) =>
    (['kill before', 'kill after'] as const).map((does) => ({
      agent,
      faults: [{ site, does, times: 1 }, ...faultsOf(agent, reconcile)],
      reconcile,
      kills: ['by the counterparty' as const],
    })),
  );
}

/** Of kills before and after each call, one for each call: before it and after it in turn. */
export function inTurn<T>(list: readonly T[]): T[] {
  return list.filter((_, index) => index % 4 === 0 || index % 4 === 3);
}

/** An undo whose reply is lost, or that fails for good in the first process that tries it, and a kill around it. */
export function withUndosThatFail(): Trial[] {
  const broken: Fault[] = [
    { site: 'unbook', does: 'lose', times: 1 },
    { site: 'unbook', does: 'refuse', times: 3 },
  ];
  return broken.flatMap((fault) =>
    (['DECIDED', 'COMPENSATED'] as const).map((at) => ({
      agent: 'booking' as const,
      faults: [fault, ...AGENTS.booking.faults],
      reconcile: true,
      kills: [{ at, when: 'durable' as const }],
    })),
  );
}

/** Killed from outside, once or twice, at times drawn from a seed. */
export function atRandom(count: number, seed: number): Trial[] {
  let state = seed;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const agents = Object.keys(AGENTS) as AgentName[];
  return Array.from({ length: count }, (_, index) => ({
    agent: agents[index % agents.length] as AgentName,
    reconcile: true,
    kills: Array.from({ length: 1 + draw(2) }, () => ({ after: 30 + draw(150) })),
  }));
}

/** Does the work of a list, two at a time: there are two processes for each. */
export async function inPairs<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = list.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all([worker(), worker()]);
}

/** Does the work of a list, one after the other. */
export async function oneByOne<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const item of list) await work(item);
}

/** So many kills of agents whose journals lie on a server, where each costs a lease: at appends, in calls and at random. */
export function onServer(count: number): Trial[] {
  const calls = byTheCounterparty(true).filter(({ kills }) => kills.length === 1);
  const appends = (['sequential', 'booking', 'slots', 'posting'] as const).flatMap((agent) =>
    [1, 2, 3, 4, 5, 6].map((at): Trial => ({ agent, reconcile: true, kills: [{ at, when: 'durable' }] })),
  );
  const all = [...calls, ...appends];
  return Array.from({ length: count }, (_, index) => all[(index * 7) % all.length] as Trial);
}

/** So many kills of the server, each once an agent has been told that rows of it are durable, one to four times. */
export function atServers(count: number): Trial[] {
  const agents = ['booking', 'slots', 'sequential', 'posting'] as const;
  return Array.from({ length: count }, (_, index) => ({
    agent: agents[index % agents.length] as AgentName,
    reconcile: true,
    kills: [{ server: 1 + (index % 4) }],
  }));
}
