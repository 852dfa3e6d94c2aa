/**
 * The verb `inspect`: serves the inspector's page on this machine. A person's acts on the page use the functions of the
 * other verbs, `answerGate` for an answer. An act that needs the agent's code runs this command as a process of its
 * own.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { InspectedMatrix } from '../../inspector/files-data.ts';
import { type Serving, serve } from '../../inspector/http/server.ts';
import type { Inspected, Told } from '../../inspector/port.ts';
import { JournalError } from '../../journal/journal.ts';
import { answeredCode, answeredText, answerGate } from '../approvals/answering.ts';
import { outcomeText } from '../messages/messages.ts';
import { settleByKey } from '../messages/settling.ts';
import { leaveWord, runsMeant, type Word } from '../pause/pauses.ts';
import { wordText } from '../pause/text.ts';
import { openJournal } from '../reading/journal-key.ts';
import { keyWords } from '../reading/key-file.ts';
import { journalProblem } from '../reading/reading.ts';
import { PACKAGE_FOLDER } from '../terminal/package-folder.ts';
import { command } from '../terminal/wording.ts';
import { keepOf, keptText } from '../workers/fork-run.ts';
import { cancelRun, inStore } from '../workers/leaving.ts';
import { retriedCode, retriedText, retryRun } from '../workers/retry-run.ts';
import { inspectedConfigs, matrixIn } from './configs.ts';
import { inspectedLedger } from './ledger.ts';

/** Options of `inspect`. */
export interface InspectOptions {
  readonly file: string;
  /** The port to listen at; 0 for any that is free. */
  readonly port: number;
  /** The module of the agents; null for a page without acts that need code. */
  readonly machines: string | null;
  /** True where the page only shows. */
  readonly readOnly: boolean;
  /** The files or folders of configs. */
  readonly configs: readonly string[];
  /** The reports of rehearsals, as JSON. */
  readonly rehearsals: readonly string[];
}

/** The files of the page, beside the built command. */
const PAGE = join(PACKAGE_FOLDER, 'dist/inspector/page');
/** The longest time that a verb may take, in milliseconds. Then it is stopped as with Ctrl+C, and can be resumed. */
const PATIENCE = 60_000;
const MOST_OUTPUT = 1_024 * 1_024;
const WIDE = { columns: 1_000, colours: false } as const;

/** Serves the page until the process is told to stop. */
export async function inspect(options: InspectOptions): Promise<Serving | { readonly problem: string }> {
  const { file, port: at, rehearsals } = options;
  const matrices = rehearsals.map(matrixIn);
  for (const each of matrices) if ('problem' in each) return each;
  try {
    return await serve({ port: portOf(options, matrices as InspectedMatrix[]), page: PAGE, at });
  } catch (error) {
    if (error instanceof JournalError) return { problem: journalProblem(file, error) };
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return { problem: `--port: ${at} is taken by another program. Name another, or none.` };
    if (code === 'ENOENT') return { problem: `the page is not built: npm run build makes it (${message})` };
    throw error;
  }
}

function portOf({ file, machines, configs, readOnly }: InspectOptions, matrices: Inspected['matrices']): Inspected {
  return {
    file,
    readOnly,
    open: () => openJournal(file, { readonly: true }),
    answer: async (gate, saying, by, why): Promise<Told> => {
      const answered = await answerGate({ file, gate, saying, by, why, waits: true, now: Date.now() });
      if ('problem' in answered) return { ok: false, text: answered.problem };
      return { ok: answeredCode(answered) === 0, text: answeredText(answered, WIDE).trimEnd() };
    },
    pause: (run, pause, by, why) => pausedFrom(file, run, { pause, by, why }),
    settle: async (run, key, status, output, by, why) => {
      const left = await settleByKey({ journal: file, run, key, status, output, by, why, waits: true });
      if ('problem' in left) return { ok: false, text: left.problem };
      const text = left.outcome === null ? 'left for the process that takes the run next' : outcomeText(left.outcome);
      return { ok: left.outcome?.is !== 'refused', text };
    },
    cancel: async (run, by, why) => {
      const left = await cancelRun({ journal: file, run, by, why, undo: false });
      if ('problem' in left) return { ok: false, text: left.problem };
      const text =
        left.outcome === undefined ? 'left for the process that takes the run next' : outcomeText(left.outcome);
      return { ok: left.outcome?.is !== 'refused', text };
    },
    keep: async (run, by, why) => {
      const kept = await keepOf({ journal: file, run, by, ...(why !== null && { why }) });
      return 'problem' in kept
        ? { ok: false, text: kept.problem }
        : { ok: !('refused' in kept), text: keptText(kept).trimEnd() };
    },
    retry: async (run, by, why) => {
      const retried = await retryRun({ journal: file, run, by, why });
      if ('problem' in retried) return { ok: false, text: retried.problem };
      return { ok: retriedCode(retried) === 0, text: retriedText(retried).trimEnd() };
    },
    command: (verb, run, ...more) =>
      command(verb, run, file, ...more, ...(needsCode(verb) ? machinesOf(machines) : [])),
    execute:
      machines === null
        ? null
        : (verb, run, ...more) =>
            executed(verb, run, [...more, '--journal', file, '--machines', machines, ...keyWords()]),
    configs: () => inspectedConfigs(configs, machines),
    matrices,
    ledger: (run, ledgers) => inspectedLedger(run, ledgers, file),
  };
}

async function pausedFrom(file: string, run: string, word: Word): Promise<Told> {
  const told = await inStore(file, async (store) =>
    leaveWord(store, await runsMeant(store, { run }, word.pause), word),
  );
  if ('problem' in told) return { ok: false, text: told.problem };
  return { ok: told.every(({ is }) => is !== 'refused'), text: wordText(told, word.pause, WIDE).trimEnd() };
}

function needsCode(verb: string): boolean {
  return verb === 'resume' || verb === 'reconcile';
}

function machinesOf(machines: string | null): string[] {
  return machines === null ? [] : ['--machines', machines];
}

/** Runs a verb of this command; no shell reads its words. */
function executed(verb: string, run: string, more: readonly string[]): Promise<Told> {
  const [, main = ''] = process.argv;
  // A name that begins like an option is a name all the same.
  const args = [...process.execArgv, main, verb, ...more, '--', run];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { timeout: PATIENCE, killSignal: 'SIGTERM', maxBuffer: MOST_OUTPUT, env: { ...process.env, NO_COLOR: '1' } },
      (error, out, err) => {
        const text = [out.trimEnd(), err.trimEnd()].filter((each) => each !== '').join('\n');
        resolve({
          ok: error === null || error.code === 1,
          text: text === '' ? `belay ${verb} has said nothing` : text,
        });
      },
    );
  });
}
