/** The whole comparison: the same runs in every mode, and what was counted at the mail server and in the folders. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faults } from './draw.ts';
import { MODES, type Mode, run, type Trial } from './modes.ts';
import { MailServer } from './server.ts';

/** The size of the experiment. */
export interface Plan {
  /** The probabilities of a fault at one attempt. */
  readonly probabilities: readonly number[];
  /** The number of runs for each probability, once confirmed and once given up. */
  readonly runs: number;
  readonly seed: number;
  /** Told after each run. */
  readonly progress: (done: number, of: number) => void;
}

/** The counts of one mode. */
export interface Count {
  readonly mode: Mode;
  runs: number;
  /** Mails of confirmed work that there should be, once each. */
  expected: number;
  delivered: number;
  /** Mails of work that was given up. */
  unsafeLeaked: number;
  /** Mails that were delivered once more. */
  unsafeDuplicates: number;
  /** Mails of confirmed work that were not delivered. */
  unsafeLost: number;
  /** Files of work that was given up, and files of confirmed work that are not there. */
  unsafeFiles: number;
  milliseconds: number;
}

/** Makes all runs. The modes draw the same faults as long as they do the same. */
export async function countAll({ probabilities, runs, seed, progress }: Plan): Promise<readonly Count[]> {
  const server = new MailServer();
  const folder = mkdtempSync(join(tmpdir(), 'belay-mails-'));
  const smtp = await server.listen();
  const of = MODES.length * probabilities.length * runs * 2;
  let done = 0;
  try {
    const counts: Count[] = [];
    for (const mode of MODES) {
      const count = emptyCount(mode);
      const began = performance.now();
      const left = probabilities.flatMap((probability) =>
        Array.from({ length: runs * 2 }, (_, index): One => {
          return { mode, probability, index, confirms: index % 2 === 0, folder, smtp, seed };
        }),
      );
      await beside(left, async (each) => {
        await one(server, each, count);
        done += 1;
        progress(done, of);
      });
      count.milliseconds = Math.round(performance.now() - began);
      counts.push(count);
    }
    return counts;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does the work of a list, several at a time: what takes time is the greeting of the server. */
async function beside<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = list.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 24 }, worker));
}

interface One {
  readonly mode: Mode;
  readonly probability: number;
  readonly index: number;
  readonly confirms: boolean;
  readonly folder: string;
  readonly smtp: number;
  readonly seed: number;
}

async function one(server: MailServer, each: One, count: Count): Promise<void> {
  const { mode, probability, index, confirms, smtp, seed } = each;
  const name = `${mode}-${probability * 100}-${index}`;
  const drawn = `${seed} ${probability} ${index}`;
  server.open(name, faults(`${drawn} mail`, probability));
  const folder = join(each.folder, name);
  mkdirSync(folder);
  const fault = faults(`${drawn} file`, probability);
  const trial: Trial = { run: name, confirms, folder, smtp, fault, mails: () => server.mails(name) };
  await run[mode](trial);
  take(
    count,
    confirms,
    server.mails(name).map(({ subject }) => subject),
    ['draft.txt', 'final.txt'].filter((file) => existsSync(join(folder, file))).length,
  );
}

function take(count: Count, confirms: boolean, subjects: readonly string[], files: number): void {
  const different = new Set(subjects).size;
  count.runs += 1;
  count.delivered += subjects.length;
  count.unsafeDuplicates += subjects.length - different;
  count.expected += confirms ? 2 : 0;
  count.unsafeLeaked += confirms ? 0 : subjects.length;
  count.unsafeLost += confirms ? 2 - different : 0;
  count.unsafeFiles += confirms ? 2 - files : files;
}

function emptyCount(mode: Mode): Count {
  return {
    mode,
    runs: 0,
    expected: 0,
    delivered: 0,
    unsafeLeaked: 0,
    unsafeDuplicates: 0,
    unsafeLost: 0,
    unsafeFiles: 0,
    milliseconds: 0,
  };
}

/** True if Belay has let nothing out, sent nothing twice and lost nothing. */
export function isSafe(counts: readonly Count[]): boolean {
  return counts.every(
    ({ mode, unsafeLeaked, unsafeDuplicates, unsafeLost, unsafeFiles }) =>
      mode !== 'belay' || unsafeLeaked + unsafeDuplicates + unsafeLost + unsafeFiles === 0,
  );
}
