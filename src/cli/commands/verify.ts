/** The verb `verify`: its options, its help, and its calls. */
import { relative } from 'node:path';
import type { Command } from 'commander';
import { KEY_FILE } from '../reading/key-file.ts';
import { calledPlace, JOURNAL, placeOf, STORE } from '../reading/place.ts';
import { finish, note, page } from '../terminal/console.ts';
import { verifiedText } from '../verify/verified-text.ts';
import { verifiedCode, verifyJournals } from '../verify/verify.ts';

interface Given {
  run?: string[];
  machines?: string;
  config?: string;
  ignore?: string[];
  strict?: boolean;
  json?: boolean;
  store?: string;
}

/** Adds `belay verify`. */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .argument('[journals...]', 'SQLite files of journals, or postgres://…; they are read, and nothing is written')
    .option('--run <names...>', 'only these runs')
    .option('--machines <file>', 'the module that exports the machines or agents (default: what package.json names)')
    .option('--config <file>', "another config than the agent's own")
    .option(
      '--ignore <keys...>',
      'keys of the context that may differ, * for any segment: what a clock or chance writes',
    )
    .option('--strict', 'fail also where a run cannot be compared, or the config would do something else')
    .option('--json', 'one JSON object')
    .option(STORE[0], `another place of runs, beside the journals; with neither, BELAY_STORE, then ${JOURNAL}`)
    .option(...KEY_FILE)
    .addHelpText(
      'after',
      `
Each run is gone through by the machine as it is today: it hears the events that
were recorded, every tool answers what it answered then, and nothing leaves: no
tool is called, no action of the machine's is run. States, context, calls and
their arguments are compared step by step. What today's config would enter,
certify or close at other steps is told, too.

Where a run was restored, the machine is taken up at that place, and goes on
from there; nothing is decided again. Before a deployment, verify the runs that
are still under way: those that part cannot go on under the new machine
(docs/verify.md).

Examples:
  belay verify belay.sqlite
  belay verify belay.sqlite --run order-7 order-8 --machines dist/agents.js
  belay verify runs/*.sqlite --strict --json | jq '.files[].runs[].is'

Exit code: 0 when no run parts; 1 when one does, with --strict also when one
cannot be compared or the config would do something else; 2 when a file, a
config or the module cannot be read, or the command is misused.`,
    )
    .action(async (journals: string[], given: Given) => {
      const { run, machines, config, ignore, strict = false, json = false, store } = given;
      const places = [...journals, ...(store === undefined ? [] : [store])].map(calledPlace);
      const verified = await verifyJournals({
        journals: places.length > 0 ? places : [placeOf(null, JOURNAL)],
        runs: run ?? null,
        machines: machines ?? null,
        config: config ?? null,
        ignore: ignore ?? [],
        onModule: (file) => note(`running ${relative('', file)} to read its machines`),
      });
      if ('problem' in verified) return finish('', verified.problem, 2);
      for (const each of verified.notes) note(each);
      const text = json ? `${JSON.stringify(verified, null, 2)}\n` : verifiedText(verified, page());
      return finish(text, null, verifiedCode(verified, strict));
    });
}
