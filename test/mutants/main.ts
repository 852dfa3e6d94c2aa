/**
 * Switches the rules of control off, one at a time, and looks whether a check notices: `npm run prove mutants`.
 *
 *   --rule C5   the mutants of one rule
 *   --json      everything as JSON
 *
 * Ends with 0 where every mutant is killed, 1 where one survives, 2 where a check is red without any mutant, or does not run.
 */
import { parseArgs } from 'node:util';
import { checkText, Lab, type Outcome } from './lab.ts';
import type { Check, Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const { values } = parseArgs({ options: { rule: { type: 'string' }, json: { type: 'boolean', default: false } } });
const chosen = MUTANTS.filter(({ rule }) => values.rule === undefined || rule === values.rule);
if (chosen.length === 0) {
  console.error(`no mutant is of rule ${values.rule}`);
  process.exit(2);
}

interface Told extends Outcome {
  readonly mutant: Mutant;
}

/** A check that is red on the package as it is would kill anything. @throws where one is. */
async function expectGreen(lab: Lab, checks: readonly Check[]): Promise<void> {
  for (const by of new Map(checks.map((check) => [checkText(check), check])).values()) {
    const { red } = await lab.run(null, by);
    if (red !== null) throw new Error(`${checkText(by)} is red without any mutant: ${red}`);
  }
}

async function runAll(): Promise<Told[]> {
  const lab = new Lab();
  try {
    const told: Told[] = [];
    await expectGreen(
      lab,
      chosen.map(({ by }) => by),
    );
    for (const mutant of chosen) {
      const outcome = await lab.run(mutant, mutant.by);
      told.push({ mutant, ...outcome });
      if (!values.json) console.log(row(mutant, outcome));
    }
    return told;
  } finally {
    lab.close();
  }
}

function row({ rule, file, off, by }: Mutant, { red, seconds }: Outcome): string {
  const fate = red === null ? `SURVIVED ${checkText(by)}` : `killed by ${checkText(by)} (${red})`;
  return [rule.padEnd(4), file.padEnd(24), off.padEnd(84), seconds.toFixed(1).padStart(6), ` ${fate}`].join(' ');
}

try {
  const told = await runAll();
  const survived = told.filter(({ red }) => red === null);
  if (values.json)
    console.log(
      JSON.stringify(
        told.map(({ mutant, red, seconds }) => ({
          ...mutant,
          by: checkText(mutant.by),
          killed: red !== null,
          red,
          seconds,
        })),
        null,
        1,
      ),
    );
  else console.log(`${told.length - survived.length} of ${told.length} mutants killed.`);
  process.exitCode = survived.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
