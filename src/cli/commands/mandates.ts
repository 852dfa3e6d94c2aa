/** The verbs `mandate` and `revoke`: their options, their help, and their calls. */
import type { Command } from 'commander';
import type { MandateTerms } from '../../model/mandate-entries.ts';
import { giveMandate, revoke } from '../mandates/mandates.ts';
import { outcomeText } from '../messages/messages.ts';
import { JOURNAL } from '../reading/place.ts';
import { parsed } from '../reading/typed-json.ts';
import { finish } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import type { LeftMessage } from '../workers/leaving.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;
const WHY = ['--why <text>', 'the reason, for readers of the journal'] as const;

interface Given {
  by: string;
  why?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay mandate`. */
export function addMandate(program: Command): void {
  program
    .command('mandate')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .argument('<terms>', 'the mandate as JSON: by, and where it has them id, policy, until, limits')
    .option(...WHY)
    .option(...FILE)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
The mandate takes the place of the one before, and what has waited for a mandate
goes on. Conditions of tools read it as "mandate": mandate.cents, for example.
A mandate that the run was given before is refused: one that was withdrawn never
comes back.

Examples:
  belay mandate order-7 '{"by":"ada"}'
  belay mandate order-7 '{"id":"cash-12","by":"ada","until":"2027-01-01","cents":500}'

Exit code: 0 when that is left, or taken by the process that has the run; 1 when
it is refused, with the reason; 2 when there is no such run, the store cannot be
written, or the command is misused.`,
    )
    .action(async (run: string, text: string, { why, journal, json = false }: Omit<Given, 'by'>) => {
      const terms = parsed('the mandate', text);
      if (terms === null || 'problem' in terms) return finish('', terms?.problem ?? '', 2);
      const left = await giveMandate(journal, run, terms.value as MandateTerms, why ?? null);
      if ('problem' in left) return finish('', left.problem, left.code ?? 2);
      return told([left], json, 'the mandate');
    });
}

/** Adds `belay revoke`. */
export function addRevoke(program: Command): void {
  program
    .command('revoke')
    .argument('<run or mandate>', 'the name of a run, or of a mandate: then every run under it is meant')
    .requiredOption('--by <name>', 'the name of the person who says so')
    .option(...WHY)
    .option(...FILE)
    .option('--json', 'one JSON object a run')
    .addHelpText(
      'after',
      `
From then on nothing of the run leaves that changes the world, but for undos and
for commits that were decided. Calls that change nothing go on. What would leave
waits, and the run is parked on it until it is given another mandate.

Examples:
  belay revoke order-7 --by ada --why "the policy has changed"
  belay revoke cash-12 --by ada

Exit code: 0 when that is left, or taken by the processes that have the runs; 1
when one refuses it, or no run is under it; 2 when the store cannot be written,
or the command is misused.`,
    )
    .action(async (what: string, { by, why, journal, json = false }: Given) => {
      if (by.trim() === '') return finish('', '--by needs a name: who says so?', 2);
      const left = await revoke(journal, what, { by, why: why ?? null });
      if ('problem' in left) return finish('', left.problem, left.code ?? 2);
      return told(left, json, 'that its mandate is withdrawn');
    });
}

function told(left: readonly LeftMessage[], json: boolean, what: string): Promise<never> {
  const code = left.some(({ outcome }) => outcome?.is === 'refused') ? 1 : 0;
  const lines = left.map((each) => {
    const { run, outcome, post, held } = each;
    if (json) return JSON.stringify(each);
    const who = held ? 'the process that has the run' : 'the process that takes the run next';
    return printable(
      `${run}: ${what} is left for ${who}, as message ${post}${outcome === undefined ? '' : `: ${outcomeText(outcome)}`}`,
    );
  });
  return finish(lines.map((line) => `${line}\n`).join(''), null, code);
}
