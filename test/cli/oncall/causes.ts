/** Runs that stand still for eleven causes, each made at the terminal, and what a person puts right in the world before a printed command is true. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENTS, Desk, OFFICE } from '../agents.ts';

const ERRAND = fileURLToPath(new URL('../fixtures/errand/agents.mjs', import.meta.url));

/** A cause, and how a run comes to stand still over it. */
export interface Cause {
  readonly name: string;
  readonly module: string;
  /** The commands that make the run, under its name. */
  readonly made: readonly (readonly string[])[];
  /** What the terminal has to say of the cause, each in one piece. */
  readonly names: readonly string[];
  /** The answer of the call that a person settles as confirmed, as JSON. */
  readonly output?: string;
}

const errand = (mishap: string) => ['run', 'errand', '--run', 'r', '--input', JSON.stringify({ mishap })];

export const CAUSES: readonly Cause[] = [
  {
    name: 'a lost reply that only a person can find out about',
    module: ERRAND,
    made: [errand('mail lost')],
    names: ['waits for: what became of mail', 'error "connection reset"'],
    output: '"mail 42"',
  },
  {
    name: 'a lost reply, and a counterparty that does not know yet',
    module: ERRAND,
    made: [errand('pay lost')],
    names: ['waits for: bank to tell what became of pay', 'asks bank, and goes on by what it says'],
    output: '"pay 42"',
  },
  {
    name: 'an approval',
    module: ERRAND,
    made: [['run', 'careful', '--run', 'r', '--input', '{"mishap":"nothing"}']],
    names: ['waits for: approval of pay', 'lets pay be called'],
  },
  {
    name: 'code that throws behind a mail',
    module: ERRAND,
    made: [errand('bug')],
    names: ['in the state mailing: "Cannot read properties', 'once the code is put right'],
  },
  {
    name: 'arguments that no journal holds',
    module: ERRAND,
    made: [errand('client')],
    names: ['waits for: plain data for mail', 'nothing holds its input at client (function)'],
  },
  {
    name: 'an undo that fails',
    module: ERRAND,
    made: [errand('pay refused')],
    names: ['waits for: an undo of hold', 'undo "the warehouse is closed"'],
  },
  {
    name: 'a mail that was sent and cannot be taken back',
    module: ERRAND,
    made: [errand('check fails')],
    names: ['the receipt is not right', 'is done and cannot be taken back', 'once it has been undone by hand'],
  },
  {
    name: 'a step that has failed too often',
    module: ERRAND,
    made: [errand('look fails')],
    names: ['look failed in the state looking: "the price list is down"', 'has had 3 recoveries'],
  },
  {
    name: 'a replay that asks for something else',
    module: OFFICE,
    made: [['run', 'memo', '--run', 'r', '--fail-at', 'check']],
    names: ['recorded {"words":"words 1"}, now {"words":"words 2"}', 'once it has been undone by hand'],
  },
  {
    name: 'work that others have promised',
    module: AGENTS,
    made: [['run', 'paper', '--run', 'r', '--fail-at', 'polish', '--when', 'before']],
    names: ['polish failed', '"Review::the paper::0" rests on what would be undone'],
  },
  {
    name: 'a pause',
    module: ERRAND,
    made: [
      ['run', 'careful', '--run', 'r', '--input', '{"mishap":"nothing"}'],
      ['pause', 'r', '--by', 'ada', '--why', 'the bank is down'],
      ['resume', 'r'],
    ],
    names: ['paused by ada', 'because "the bank is down"', 'goes on where it stood still'],
  },
];

/** A run that stands still, in a folder of its own. */
export class Standing {
  readonly desk: Desk;
  readonly #cause: Cause;

  constructor(cause: Cause) {
    this.#cause = cause;
    this.desk = new Desk(cause.module);
  }

  /** Makes the run. @returns what `belay explain` prints of it. */
  async made(): Promise<string> {
    for (const args of this.#cause.made) await this.desk.ask(...args);
    return (await this.desk.ask('explain', 'r')).out;
  }

  /** The commands that are printed, as words. */
  commands(text: string): string[][] {
    return text.split('\n').flatMap((line) => (/^ {2}belay /.test(line) ? [wordsOf(line.slice(8))] : []));
  }

  /**
   * Types a command in a copy of the folder, once what it says is true in the world; behind a word that is left for the run, the run is taken up.
   * @returns the rows that the run has grown by, and everything that was printed.
   */
  async typed(words: readonly string[]): Promise<{ code: number | null; said: string; rows: number }> {
    const own = new Desk(this.#cause.module);
    try {
      cpSync(this.desk.folder, own.folder, { recursive: true, filter: (from) => !from.endsWith('package.json') });
      const before = await rowsOf(own);
      putRight(join(own.folder, 'belay.sqlite.world', 'r'), words);
      const typed = words.map((word) =>
        word === 'NAME' ? 'ada' : word === 'JSON' ? (this.#cause.output ?? '') : word,
      );
      const { code, out, err } = await own.ask(...typed);
      const taken = words[0] === 'resume' || code !== 0 ? { out: '', err: '' } : await own.ask('resume', 'r');
      return { code, said: `${out}${err}${taken.out}${taken.err}`, rows: (await rowsOf(own)) - before };
    } finally {
      own.clear();
    }
  }
}

async function rowsOf(desk: Desk): Promise<number> {
  const [shown] = await desk.json('show', 'r');
  return (shown as { rows: number }).rows;
}

/** Puts the world right as a person does before the command is true. */
function putRight(world: string, words: readonly string[]): void {
  const as = words[words.indexOf('--as') + 1];
  if (words.includes('--as') && as === 'compensated') undoneByHand(world, words[words.indexOf('--settle') + 1] ?? '');
  if (words.includes('--as') && as !== 'compensated') return;
  writeFileSync(join(world, 'put-right'), '');
  writeFileSync(join(world, 'bank-knows'), '');
}

/** Takes an act out of the world, as a person does at the counterparty. */
function undoneByHand(world: string, tool: string): void {
  for (const name of readdirSync(world))
    if (name.startsWith('act-') && readFileSync(join(world, name), 'utf8') === tool) rmSync(join(world, name));
}

/** The words of a command line, as a shell reads them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(')/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}
