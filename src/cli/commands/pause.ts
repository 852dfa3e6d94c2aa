/** The verbs `pause` and `unpause`: their options, their help, and their calls. */
import type { Command } from 'commander';
import { leaveWord, listDigest, type Meant, runsMeant } from '../pause/pauses.ts';
import { listLines, listText, wordText } from '../pause/text.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, page } from '../terminal/console.ts';
import { inStore } from '../workers/leaving.ts';

interface Given {
  agent?: string;
  all?: boolean;
  by: string;
  why?: string;
  of?: string;
  journal: string;
  json?: boolean;
}

const CODES = `Exit code: 0 when the word is left for every run that is meant, and no process
refuses it; 1 when a run takes no such word, or there is none to take it; 2 when
there is no such run, the store cannot be written, or the command is misused.`;

/** Adds `belay pause`. */
export function addPause(program: Command): void {
  verbOf(program, 'pause')
    .addHelpText(
      'after',
      `
An undo or a publication that has begun is finished; nothing else leaves. What
comes meanwhile is kept: events are held, complaints, approvals and a cancel are
carried out later, outcomes are written down. A process that has a run obeys
within a second; no other takes it up. This acts at once, and then prints what
it has stopped.

Examples:
  belay pause order-7 --by ada --why "the price is odd"
  belay pause --agent orders --by ada
  belay pause --all --by ada

${CODES}`,
    )
    .action((run: string | undefined, given: Given) => said(run, given, true));
}

/** Adds `belay unpause`. */
export function addUnpause(program: Command): void {
  verbOf(program, 'unpause')
    .option('--of <digest>', 'the digest of the list that was printed, for --agent and --all')
    .addHelpText(
      'after',
      `
With --agent or --all it first prints the runs that would go on and the digest
of that list, and does nothing; with that digest it has them go on.

Examples:
  belay unpause order-7 --by ada
  belay unpause --all --by ada
  belay unpause --all --by ada --of 1f0c9a2e

${CODES}`,
    )
    .action((run: string | undefined, given: Given) => said(run, given, false));
}

function verbOf(program: Command, name: string): Command {
  return program
    .command(name)
    .argument('[run]', 'the name of the run; belay runs lists them')
    .option('--agent <name>', 'every run of this agent')
    .option('--all', 'every run of the store')
    .requiredOption('--by <name>', 'the name of the person who says so')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object a run');
}

/** The runs that the command means; null where it names none, or says it twice. */
function meantBy(run: string | undefined, { agent, all }: Given): Meant | null {
  if ([run, agent, all].filter((each) => each !== undefined).length !== 1) return null;
  if (run !== undefined) return { run };
  return agent === undefined ? { all: true } : { agent };
}

async function said(run: string | undefined, given: Given, pause: boolean): Promise<never> {
  const { by, why = null, journal: file, json = false } = given;
  const meant = meantBy(run, given);
  if (meant === null) return finish('', 'name one of: a run, --agent NAME, --all', 2);
  if (by.trim() === '') return finish('', '--by needs a name: who says so?', 2);
  const told = await inStore(file, async (store) => {
    const runs = await runsMeant(store, meant, pause);
    const isShown = !pause && !('run' in meant) && runs.length > 0 && given.of !== listDigest(runs);
    return isShown ? { runs } : { told: await leaveWord(store, runs, { pause, by, why }) };
  });
  if ('problem' in told) return finish('', told.problem, 2);
  if ('runs' in told) {
    const digest = listDigest(told.runs);
    const changed = given.of === undefined ? null : `the list has changed since it had the digest ${given.of}`;
    const text = json ? listLines(told.runs, digest) : listText(told.runs, digest, { file, meant, by, medium: page() });
    return finish(text, changed, changed === null ? 0 : 1);
  }
  const code = told.told.length > 0 && told.told.every(({ is }) => is !== 'refused') ? 0 : 1;
  if (json) return finish(told.told.map((each) => `${JSON.stringify(each)}\n`).join(''), null, code);
  const none = `there is no run ${pause ? 'to pause' : 'that is paused'}\n`;
  return finish(told.told.length === 0 ? none : wordText(told.told, pause, page()), null, code);
}
