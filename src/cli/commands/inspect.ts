/** The verb `inspect`: its options, its help, and its call. */
import { once } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { inspect } from '../inspect/inspect.ts';
import { JOURNAL, placeOf } from '../reading/place.ts';
import { finish, note } from '../terminal/console.ts';

interface Given {
  journal?: string;
  port: number;
  machines?: string;
  config?: string[];
  rehearsal?: string[];
  readOnly?: boolean;
}

/** Adds `belay inspect`. */
export function addInspect(program: Command): void {
  program
    .command('inspect')
    .argument('[file]', `the SQLite file of the runs (default: ${JOURNAL})`)
    .option('--journal <file>', 'the same')
    .addOption(
      new Option('--port <n>', 'listen there (default: any that is free)').default(0, '0').argParser(portNumber),
    )
    .option('--machines <file>', 'the module of the agents: resume, rerun and reconcile can be done from the page')
    .option('--read-only', 'only show: the page does no act, and names the commands that do')
    .option('--config <files...>', 'show these configs, or the configs of these folders, with their reviews')
    .option('--rehearsal <files...>', 'show the matrix of these reports of belay rehearse --json')
    .addHelpText(
      'after',
      `
Prints an address and serves it until it is stopped (Ctrl+C). The page is for
this machine alone: the server listens on 127.0.0.1, and answers only requests
with the token of the address. Its holder can read the runs and answer their
questions, as one can who may write the file: keep it to yourself.

The file is read beside the programs that write it, and changed only by answers
that are given on the page, under the name that is typed there. The name is not
verified. With --read-only nothing is changed. Nothing leaves the machine
(docs/inspect.md).

Examples:
  belay inspect
  belay inspect orders.sqlite --port 8080 --config boundaries/
  belay inspect --machines dist/agents.js

Exit code: 0 when it is stopped; 2 when the file or the page cannot be read, the
port is taken, or the command is misused.`,
    )
    .action(async (file: string | undefined, { journal, port, machines, config, rehearsal, readOnly }: Given) => {
      if (readOnly === true && machines !== undefined)
        return finish('', '--read-only does no act, and --machines is for acts: give one', 2);
      if (file !== undefined && journal !== undefined)
        return finish('', 'FILE and --journal or --store name the same: give one', 2);
      const serving = await inspect({
        file: journal ?? placeOf(file ?? null, JOURNAL),
        port,
        machines: machines ?? null,
        readOnly: readOnly ?? false,
        configs: config ?? [],
        rehearsals: rehearsal ?? [],
      });
      if ('problem' in serving) return finish('', serving.problem, 2);
      process.stdout.write(`${serving.url}\n`);
      note(
        'Open it in a browser on this machine. The token in it lets its holder act: keep it to yourself. Ctrl+C ends it.',
      );
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      await serving.close();
      return finish('', null, 0);
    });
}

function portNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new InvalidArgumentError('It is a number from 0 to 65535.');
  return number;
}
