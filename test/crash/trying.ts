/** The trials of a file of tests: a stage for all of them, what their runs have to end like, and how many processes were killed. */
import { expect } from 'vitest';
import { AGENTS, type AgentName } from './machines.ts';
import { inPairs } from './plan.ts';
import { Stage } from './processes.ts';
import { type Expected, nameOf, type Outcome, type Trial, Trials } from './trial.ts';

export const NAMES = Object.keys(AGENTS) as AgentName[];

/** Makes trials, and counts the kills. */
export class Trying {
  readonly stage = new Stage();
  readonly trials = new Trials(this.stage);
  readonly expected = new Map<AgentName, Expected>();
  readonly made = { kills: 0, midCall: 0, midRecovery: 0 };

  /** @param names the agents that are tried. */
  async open(names: readonly AgentName[] = NAMES): Promise<void> {
    await this.stage.open();
    await inPairs(names, async (name) => void this.expected.set(name, await this.trials.expected(name)));
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  /** Makes trials, and tells what went wrong in any of them; `exactly`: each process that was to be killed has to be. */
  async all(list: readonly Trial[], { exactly = true } = {}): Promise<Outcome[]> {
    const wrong: string[] = [];
    const outcomes: Outcome[] = [];
    await inPairs(list, async (trial) => {
      const outcome = await this.trials.run(trial, this.expected.get(trial.agent) as Expected);
      outcomes.push(outcome);
      for (const what of outcome.wrong) wrong.push(`${nameOf(trial)}: ${what}`);
      if (exactly && outcome.kills !== trial.kills.length)
        wrong.push(`${nameOf(trial)}: only ${outcome.kills} processes were killed`);
      this.made.kills += outcome.kills;
      this.made.midCall += outcome.midCall;
      this.made.midRecovery += outcome.midRecovery;
    });
    expect(wrong).toEqual([]);
    return outcomes;
  }
}
