/** The command `belay` as a program: adds its verbs, and turns errors into exit codes. */
import { Command, CommanderError } from 'commander';
import { KEY_FILE, useKeyFile } from './reading/key-file.ts';
import { JOURNAL, placeOf, STORE } from './reading/place.ts';
import { printable } from './terminal/printable.ts';
import { version } from './terminal/version.ts';
import { addVerbs } from './verbs.ts';

/** Runs the command with the arguments that follow its name. Its exit code is that of the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const program = new Command('belay')
    .description('From which point may failed work be redone, so that everything already promised stays true?')
    .version(version)
    // A verb may have a --version of its own: that of an agent's code.
    .enablePositionalOptions()
    .configureOutput({
      outputError: (text, write) => write(text.trimEnd().split('\n').map(printable).join('\n').concat('\n')),
    })
    .exitOverride()
    .showHelpAfterError('(belay --help lists the verbs, belay VERB --help the options of one)');
  await addVerbs(program, args);
  for (const verb of program.commands)
    for (const each of [verb, ...verb.commands])
      if (each.options.some(({ long }) => long === '--journal')) each.option(...STORE).option(...KEY_FILE);
  program.hook('preAction', (_, verb) => openPlace(verb));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

/** Takes the key and the place of the journal out of the options of a verb, before it acts. */
function openPlace(verb: Command): void {
  const { keyFile, store, journal } = verb.opts<{ keyFile?: string; store?: string; journal?: string }>();
  useKeyFile(keyFile ?? null);
  if (!verb.options.some(({ long }) => long === '--journal') || (journal ?? store) === undefined) return;
  const typed = verb.getOptionValueSource('journal') === 'cli' ? (journal ?? null) : null;
  if (typed !== null && store !== undefined) verb.error('error: --store and --journal name the same thing: give one');
  verb.setOptionValue('journal', placeOf(store ?? typed, JOURNAL));
}
