/** Runs one case and prints everything about it: the machine, its config, what happened, and how it was judged. */
import { explain } from 'belay-sidecar';
import type { ConfigOptions } from './config-page.ts';
import { benchOf, runCase } from './driver.ts';
import { caseText, type EnumeratedCase } from './failures.ts';
import { judge } from './judge.ts';
import { legalEndings } from './legal.ts';

/** Prints a case. */
export async function printCase(one: EnumeratedCase, options: ConfigOptions, reruns: boolean): Promise<void> {
  const bench = benchOf(one.machine, options, reruns);
  const legal = legalEndings(one.machine);
  const result = await runCase(one, bench);
  const verdict = judge(one, result, legal, options.reconciles);
  const section = (title: string, lines: readonly string[]) =>
    console.log(`\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`);
  console.log(`${one.id}  ${caseText(one)}`);
  section('Machine', JSON.stringify(bench.real.machine.config, null, 1).split('\n'));
  section('Config', bench.page.split('\n'));
  section('What happened', result.world.log);
  for (const decision of result.decisions) section(`Decision: ${decision.verdict}`, explanation(decision));
  section('Ended', [JSON.stringify(result.rest), JSON.stringify(result.memory)]);
  section('Acts that stand', result.world.standing());
  section(
    'Legal endings',
    legal.map(({ memory, acts }) => `${memory}  acts: ${acts.join('; ') || 'none'}`),
  );
  section('Judged', [JSON.stringify(verdict)]);
}

function explanation(decision: Parameters<typeof explain>[0]): readonly string[] {
  try {
    return explain(decision).text.split('\n');
  } catch {
    return JSON.stringify(decision, null, 1).split('\n');
  }
}
