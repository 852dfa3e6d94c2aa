/** The verbs `claims` and `release`: their options, their help, and their calls. */
import type { Command } from 'commander';
import { listClaims } from '../claims/claims.ts';
import { limitPool, listPools } from '../claims/pools.ts';
import { releaseClaims } from '../claims/release.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, page, tell, terminal } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { count } from '../terminal/wording.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;

/** Adds `belay claims`. */
export function addClaims(program: Command): void {
  program
    .command('claims')
    .option(...FILE)
    .option('--json', 'one JSON object a line: a claim, a call that waits, or a freeing')
    .addHelpText(
      'after',
      `
A run keeps the external keys of its calls until it has ended, also while it is
parked or no process has it. A call whose run has a living process stands in
line. A run whose config releases keys early goes on without those; the first
run that was given one is named. What a person has freed with belay release is
listed last.

Examples:
  belay claims
  belay claims --store postgres://db/orders
  belay claims --json | jq -r 'select(.is == "waits") | .run'

Reads beside a running program, and takes nothing from it.
Exit code: 0, also where no run has claims; 2 when the place cannot be read, or
the command is misused.`,
    )
    .action(async ({ journal, json = false }: { journal: string; json?: boolean }) => {
      await tell(await listClaims(journal, json, page()), terminal('rows').done);
    });
}

/** Adds `belay pools`. */
export function addPools(program: Command): void {
  program
    .command('pools')
    .argument('[name]', 'the name of a pool; left out, all of them')
    .option('--limit <amount>', 'give the pool this limit from now on')
    .option(...FILE)
    .option('--json', 'one JSON object a line: a pool')
    .addHelpText(
      'after',
      `
A pool is a budget that runs share. Below each pool stand the runs that have
spent of it, or have something reserved. A call reserves the most that it may
spend before it leaves. Runs whose config gives the pool another limit are
refused: set the limit here, and in the config.

Examples:
  belay pools
  belay pools team-7 --limit 9000 --store postgres://db/orders

Exit code: 0; 2 when there is no pool to limit, the place cannot be read or
written, or the command is misused.`,
    )
    .action(async (name: string | undefined, given: { limit?: string; journal: string; json?: boolean }) => {
      const { limit, journal, json = false } = given;
      if (limit === undefined) {
        await tell(await listPools(journal, name ?? null, json, page()), terminal('rows').done);
        return;
      }
      const amount = Number(limit);
      if (name === undefined || !/^\d+$/.test(limit) || !Number.isSafeInteger(amount))
        return finish('', 'give the name of a pool, and a whole number as its limit', 2);
      const refused = await limitPool(journal, name, amount);
      if (refused !== null) return finish('', refused.problem, refused.code);
      const told = json ? JSON.stringify({ pool: name, limit: amount }) : printable(`${name} has the limit ${amount}`);
      return finish(`${told}\n`, null, 0);
    });
}

/** Adds `belay release`. */
export function addRelease(program: Command): void {
  program
    .command('release')
    .argument('<run>', 'the name of the run; belay claims lists them')
    .option('--by <name>', 'the name of the person who frees them')
    .option('--why <text>', 'the reason, which belay claims shows')
    .option('--unsettled', 'also where calls of the run may still happen')
    .option(...FILE)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
Other runs then act on what this one has touched. It is refused while a living
process has the run, and, without --unsettled, while the outcome of one of its
calls is not known: that call may still happen. A run that is taken up later
has again what no other run was given since. What one was given it neither
touches nor undoes any more: a call is refused, and a finding names that run.

Examples:
  belay release order-7 --by "Ada Lovelace"
  belay release order-7 --by ada --unsettled --store postgres://db/orders

Exit code: 0 when the run has no claims any more; 1 when calls of it are not
settled, or it has gone on meanwhile; 2 when a living process has it, there is
no such run, the place cannot be written, or the command is misused.`,
    )
    .action(
      async (
        run: string,
        given: { by?: string; why?: string; unsettled?: boolean; journal: string; json?: boolean },
      ) => {
        const { by = null, why = null, unsettled = false, journal } = given;
        const released = await releaseClaims({ journal, run, by, why, unsettled });
        if ('problem' in released) return finish('', released.problem, released.code);
        if (given.json) return finish(`${JSON.stringify(released)}\n`, null, 0);
        const { keys } = released;
        const freed = keys.length === 0 ? 'had no claims' : `has no claims any more: ${keys.join(', ')}`;
        const warning =
          released.unsettled.length === 0 ? null : `${count(released.unsettled.length, 'call')} of it may still happen`;
        return finish(`${printable(`${run} ${freed}`)}\n`, warning, 0);
      },
    );
}
