/** The verb `sandboxes`: its options, its help, and its calls. */
import type { Command } from 'commander';
import { JOURNAL } from '../reading/place.ts';
import { listSandboxes, sweepPlace } from '../sandboxes/sandboxes.ts';
import { finish, page, tell, terminal } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { sweptText } from '../terminal/wording.ts';

interface Given {
  sweep?: boolean;
  module?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay sandboxes`. */
export function addSandboxes(program: Command): void {
  program
    .command('sandboxes')
    .argument('[run]', 'the name of a run; left out, all of them')
    .option('--sweep', 'destroy those whose run ended long enough ago')
    .option('--module <file>', 'with --sweep: the module whose agents bring the providers; its code is run')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object a line: a sandbox')
    .addHelpText(
      'after',
      `
A sandbox is kept after the end of its run for as long as the config says under
"grace"; until then what is in it can be looked at, by its handle. belay work
destroys what is due, of its agents; --sweep does so once. A sandbox that
another process is destroying is left to that process, for five minutes.

Examples:
  belay sandboxes
  belay sandboxes order-7 --json | jq -r .handle.folder
  belay sandboxes --sweep --module dist/agents.js

Exit code: 0, also where there is none; 1 when one that is due is left; 2 when
the place or the module cannot be read, or the command is misused.`,
    )
    .action(async (run: string | undefined, { sweep = false, module, journal, json = false }: Given) => {
      if (!sweep && module === undefined)
        return tell(await listSandboxes(journal, run ?? null, json, page()), terminal('rows').done);
      if (!sweep) return finish('', '--module names the providers for --sweep', 2);
      if (run !== undefined) return finish('', '--sweep is of all runs: leave the name out', 2);
      const swept = await sweepPlace(journal, module ?? null);
      if ('problem' in swept) return finish('', swept.problem, 2);
      const lines = swept.map(({ run: of, name, why }) =>
        json
          ? JSON.stringify({ run: of, sandbox: name, destroyed: why === null, ...(why !== null && { why }) })
          : printable(sweptText(of, name, why)),
      );
      const text = lines.length === 0 && !json ? ['no sandbox is due'] : lines;
      const isLeft = swept.some(({ why }) => why !== null);
      return finish(text.map((line) => `${line}\n`).join(''), null, isLeft ? 1 : 0);
    });
}
