/** Runs the audit: cases side by side in threads, and what is timed alone, once they are quiet. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { agents } from '../domains/agents.ts';
import { there } from '../domains/there.ts';
import { type Atomix, joined, nameOf, parts } from './atomix/study.ts';
import { type Case, readCases, readDomains, readSites } from './case.ts';
import type { Depth, Overhead, Signalled, WrongEdge } from './experiments.ts';
import { type Interrupted, STUDIED } from './interruptions/study.ts';
import type { JudgedCase, Wanted } from './judge.ts';
import { readSets } from './langgraph/sets.ts';
import type { Studied, Witnessed } from './langgraph/study.ts';
import type { Experiments } from './report.ts';
import { reviewed } from './reviewed.ts';
import type { Swept } from './sweep.ts';
import type { Task } from './worker.ts';

/** Told of how far it has got. */
export type Progress = (done: number, all: number, what: string) => void;

const THREADS = 2;
const TIMES = 7;

const SLOTS = ['Kickoff', 'Budget', 'Roadmap', 'Hiring', 'Closing', 'Design', 'Launch', 'Review', 'Retreat'];
/** The input of the schedule form with one slot, two, and so on to five, and with all. */
const DEPTHS = [1, 2, 3, 4, 5, SLOTS.length].map((count) => ({ slots: SLOTS.slice(0, count) }));

/** The shares of one agent's interruptions, each a task of its own. */
const SHARES = 6;

type Study = Pick<Experiments, 'studied' | 'witnesses'>;

/** The threads. */
export class Threads {
  readonly #pool = new Piscina({
    filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
    // One case needs one thread, and each loads everything.
    minThreads: 1,
    maxThreads: THREADS,
  });
  readonly #progress: Progress;
  #all = 0;
  #done = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** DecisionPolicy cases. */
  judge(cases: readonly Case[], wanted: Wanted): Promise<readonly JudgedCase[]> {
    return Promise.all(
      cases.map(({ domain, name }) => this.#run<JudgedCase>({ do: 'judge', domain, case: name, wanted })),
    );
  }

  /** Measures what is measured besides, of the domains that are chosen. Timings come last, one after the other. */
  async experiments(
    isChosen: (domain: string) => boolean,
  ): Promise<Omit<Experiments, keyof Study | 'interrupted' | 'atomix' | 'swept' | 'candidates'>> {
    const domains = readDomains().filter(({ name }) => isChosen(name));
    const sites = readSites().filter(({ domain }) => isChosen(domain));
    const signals = sites.map(async ({ site, domain, case: name }) => {
      return {
        site,
        domain,
        case: name,
        signals: await this.#run<readonly Signalled[]>({ do: 'signals', domain, case: name }),
      };
    });
    const edges = domains.flatMap(({ name: domain, wrongEdge }) =>
      wrongEdge === null ? [] : [this.#run<WrongEdge>({ do: 'edge', domain, case: wrongEdge.case })],
    );
    const quiet = { signals: await Promise.all(signals), edges: await Promise.all(edges) };
    const form = domains.find(({ name }) => name === 'schedule-form');
    return {
      ...quiet,
      reviewed: Object.values(agents)
        .filter(({ machine }) => isChosen(machine.id))
        .map(reviewed),
      depths: form === undefined ? [] : await this.#depths(form.name),
      overheads: await this.#overheads(domains.map(({ name }) => name)),
    };
  }

  /** Runs the study on LangGraph, of the domains that are chosen. */
  async study(isChosen: (domain: string) => boolean, repeat: number): Promise<Study> {
    const members = readSets().filter(({ given }) => isChosen(given.domain));
    const studied = members.filter(({ sets }) => sets.some((set) => set !== 'witness'));
    const witnesses = members.filter(({ sets }) => sets.includes('witness'));
    const [cases, past] = await Promise.all([
      Promise.all(
        studied.map(({ given: { domain, name }, sets }) =>
          this.#run<Studied>({ do: 'study', domain, case: name, sets, repeat }),
        ),
      ),
      Promise.all(
        witnesses.map(({ given: { domain, name } }) => this.#run<Witnessed>({ do: 'witness', domain, case: name })),
      ),
    ]);
    return { studied: cases, witnesses: past };
  }

  /** Runs the study of interruptions, of the agents that are chosen. */
  async interruptions(isChosen: (domain: string) => boolean): Promise<Pick<Experiments, 'interrupted'>> {
    const shares = STUDIED.filter(isChosen).flatMap((domain) =>
      Array.from({ length: SHARES }, (_, from) =>
        this.#run<readonly Interrupted[]>({
          do: 'interruptions',
          domain,
          case: `interruptions ${from + 1} of ${SHARES}`,
          share: { every: SHARES, from },
        }),
      ),
    );
    return { interrupted: (await Promise.all(shares)).flat() };
  }

  /** Counts the tables of Atomix. */
  async atomix(): Promise<Pick<Experiments, 'atomix'>> {
    const all = parts().map((part) => this.#run<Atomix>({ do: 'atomix', domain: 'atomix', case: nameOf(part), part }));
    return { atomix: joined(await Promise.all(all)) };
  }

  /** Fails every call of a run of each domain in turn; of the run with the input that the agent has by itself, where a case has it. */
  async sweep(): Promise<readonly Swept[]> {
    const cases = readCases();
    const runs = readDomains().flatMap(({ name: domain }) => {
      const own = cases.filter((each) => each.domain === domain);
      return own.find(({ input }) => input === undefined) ?? own.slice(0, 1);
    });
    const swept = await Promise.all(
      runs.map(({ domain, name }) => this.#run<readonly Swept[]>({ do: 'sweep', domain, case: name })),
    );
    return swept.flat();
  }

  async #depths(domain: string): Promise<readonly Depth[]> {
    const given = there(
      readCases().find((each) => each.domain === domain),
      'case',
    );
    return this.#run({ do: 'depths', domain, case: given.name, inputs: DEPTHS });
  }

  async #overheads(domains: readonly string[]): Promise<readonly Overhead[]> {
    const all: Overhead[] = [];
    for (const domain of domains) {
      const given = readCases().find((each) => each.domain === domain && each.regime === 'official');
      if (given !== undefined) all.push(await this.#run({ do: 'overhead', domain, case: given.name, times: TIMES }));
    }
    return all;
  }

  async #run<T>(task: Task): Promise<T> {
    this.#all += 1;
    const result: T = await this.#pool.run(task);
    this.#done += 1;
    this.#progress(this.#done, this.#all, `${task.domain}/${task.case}`);
    return result;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
