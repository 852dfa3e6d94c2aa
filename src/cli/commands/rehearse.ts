/** The verb `rehearse`: its options, its help, and its call. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { presentRehearsal, REHEARSAL_FORMATS, type RehearsalFormat } from '../rehearse/rehearsal-formats.ts';
import { type RehearseOptions, rehearseAgent } from '../rehearse/rehearse.ts';
import { finish, page, progressLine } from '../terminal/console.ts';
import { version } from '../terminal/version.ts';

interface Given {
  machines?: string;
  input?: string;
  config?: string;
  seed: number;
  sample?: number;
  kills: RehearseOptions['kills'];
  acts: RehearseOptions['acts'];
  only?: string;
  changed?: string;
  mutate?: true | number;
  allowParked?: string[];
  format: RehearsalFormat;
  json?: boolean;
}

/** The most runs for each loosening, unless another number is given. */
const RUNS_FOR_EACH = 30;

/** Adds `belay rehearse`. */
export function addRehearse(program: Command): void {
  program
    .command('rehearse')
    .argument('<agent>', 'the id of its machine')
    .option('--machines <file>', 'the module that exports the agents (default: what package.json names)')
    .option('--input <json>', 'one path with this input, in place of the paths of the agent')
    .option('--config <file>', "another config than the agent's own")
    .addOption(
      new Option('--seed <n>', 'draws the sample; the same seed gives the same report').default(1).argParser(whole),
    )
    .addOption(new Option('--sample <n>', 'at most so many runs for each path').argParser(whole))
    .addOption(
      new Option('--kills <which>', 'appends of the journal after which the process is killed')
        .choices(['sampled', 'all', 'none', 'process', 'process-all'])
        .default('sampled'),
    )
    .addOption(
      new Option('--acts <which>', 'acts on the events of the paths: revised, retracted, two at once')
        .choices(['sampled', 'all', 'none'])
        .default('sampled'),
    )
    .option('--changed <old>', 'an earlier config: first what review --diff names since, then the rest')
    .option('--only <text>', 'only runs whose id has this text in it: to make one again')
    .addOption(new Option('--mutate [n]', 'try each loosening of the config, with at most n runs').argParser(whole))
    .addOption(
      new Option(
        '--allow-parked <reasons...>',
        'the only reasons for which a run may park; left out, parking is no failure',
      ),
    )
    .addOption(new Option('--format <format>', 'for whom').choices(REHEARSAL_FORMATS).default('text'))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      `
The agent is run without faults, twice, and then once for each fault: each call
fails before it acts, acts and loses its reply, never answers, answers what its
schema refuses, or acts late, with a reconciler that knows, does not know or is
absent; each certified boundary rests on a value that is found wrong later; each
approval is denied or never comes; events come late, twice or never; delays are
over late, never, or as a reply comes; the process is closed or killed; an event
is revised or retracted at a later call or event, and two at once. A run is
judged by what is left in the world and in the context, against the run without
faults, or the run that was told so from the beginning: the same, parked, or
harm.

Then each act is asked for once more, as by a model that plans anew: the state
that makes the call is entered again. What acts twice is listed, and is no harm:
"once" in the config says which calls are one act.

The last line says which tools and boundaries of the config have met each of
their faults, and which have not.

With --mutate, each way in which the config could say too little is tried, until
a run does harm; what nothing notices is listed as survived. Of a run that does
harm, the lines are named whose tightening removes it.

Kills are made in memory. --kills process sends SIGKILL to processes of their
own instead, a few for each path, and --kills process-all one for each append:
for an agent that says under "rehearsal" that its world outlives a process.

The agent says how it is rehearsed under "rehearsal" (docs/rehearse.md). Its
tools act in earnest: what open() opens has to be a world to practise in.

Examples:
  belay rehearse order
  belay rehearse order --sample 50 --seed 7
  belay rehearse order --only pay#1/lost
  belay rehearse order --kills process --only kill/
  belay rehearse order --changed boundaries/order.before.yaml --sample 20
  belay rehearse order --mutate
  belay rehearse order --allow-parked effect_outcome_unknown unclaimed_effect

Exit code: 0 when no run does harm, and none parks that may not; 1 when one
does; 2 when the agent cannot be rehearsed, or the command is misused.`,
    )
    .action(async (agent: string, given: Given) => {
      const progress = progressLine();
      const rehearsed = await rehearseAgent({
        agent,
        machines: given.machines ?? null,
        input: given.input ?? null,
        config: given.config ?? null,
        seed: given.seed,
        sample: given.sample ?? null,
        kills: given.kills,
        acts: given.acts,
        allowParked: given.allowParked?.flatMap((each) => each.split(',')) ?? null,
        changed: given.changed ?? null,
        only: given.only ?? null,
        mutate: given.mutate === undefined ? null : given.mutate === true ? RUNS_FOR_EACH : given.mutate,
        onProgress: (what, { index, of }) => progress.show(`${what} ${index + 1} of ${of}`),
      });
      progress.done();
      if ('problem' in rehearsed) return finish('', rehearsed.problem, 2);
      const format = given.json ? 'json' : given.format;
      const text = presentRehearsal(rehearsed, format, { medium: page(), version });
      return finish(text, null, rehearsed.failing.length === 0 ? 0 : 1);
    });
}

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('it is a whole number from 1.');
  return number;
}
