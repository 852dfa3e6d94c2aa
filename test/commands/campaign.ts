/** Plays random sequences of commands, and cuts the first that breaks a promise down to what is needed for it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Sequence, sequences, sequenceText } from './commands.ts';
import { Driver, Harm } from './driver.ts';
import { wrongInTheEnd, wrongInWorld } from './judge.ts';
import { helped } from './person.ts';
import { Player } from './player.ts';
import { Tally } from './tally.ts';
import { World } from './world.ts';

/** Plays one sequence to its end. @throws Harm where something was done twice, is lost, or was ignored. */
async function play(sequence: Sequence, tally: Tally): Promise<void> {
  const folder = sequence.journal === 'file' ? mkdtempSync(join(tmpdir(), 'belay-commands-')) : null;
  const driver = new Driver(sequence.lab, new World(sequence.faults), folder);
  const player = new Player(driver, tally);
  try {
    await driver.open();
    for (const given of sequence.given) {
      await player.play(given);
      refuse(wrongInWorld(driver));
    }
    await player.calm();
    const ending = await helped(driver, player.acting);
    refuse(wrongInWorld(driver));
    if (ending === 'stands still')
      throw new Harm(`the run stands still at ${JSON.stringify(driver.sidecar.actor.getSnapshot().value)}`);
    if (ending === 'done') refuse(wrongInTheEnd(driver, player.acting));
    tally.ended(ending);
    if (ending === 'parked') tally.ended(`parked on ${codesOf(driver).join(', ')}`);
  } finally {
    await driver.end().catch(() => {});
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

function refuse(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Harm(wrong.join('; '));
}

function codesOf(driver: Driver): string[] {
  const codes = driver
    .questions()
    .flatMap(({ refusals }) =>
      refusals.flatMap((refusal) =>
        'code' in refusal ? [refusal.code as string] : refusal.adds.map(({ code }) => code as string),
      ),
    );
  return [...new Set(codes)].toSorted();
}

/** What a campaign has found: null, or the smallest sequence that breaks a promise, with what it takes to see it again. */
export interface Found {
  readonly tally: Tally;
  readonly failure: string | null;
}

/** Plays so many sequences from a seed. */
export async function campaign(runs: number, seed: number, path?: string): Promise<Found> {
  const tally = new Tally();
  const details = await fc.check(
    fc.asyncProperty(sequences(), (sequence) => play(sequence, tally)),
    { numRuns: runs, seed, ...(path !== undefined && { path }) },
  );
  if (!details.failed) return { tally, failure: null };
  const [sequence] = details.counterexample as [Sequence];
  const error =
    details.errorInstance instanceof Error ? details.errorInstance : new Error(String(details.errorInstance));
  const said = error instanceof Harm ? error.message : (error.stack ?? error.message);
  const again = `--seed ${seed} --path ${details.counterexamplePath ?? '0'}`;
  return {
    tally,
    failure: `${said}\n${sequenceText(sequence)}\nagain: npm run prove soak-commands -- ${again} (${details.numRuns} runs, cut down ${details.numShrinks} times)`,
  };
}
