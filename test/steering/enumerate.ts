/**
 * Enumerates acts on events over real machines under the sidecar (semantics.md ST): `npx tsx test/steering/enumerate.ts [--family seq|par|handlers|input|drawn|mixed|inputs|waits]
 * [--seconds 60] [--seed 1] [--every 1] [--from 0]`. Prints the share that was played, the verdicts, and each scenario that ended wrong.
 */
import { parseArgs } from 'node:util';
import { drawnScenarios, inputScenarios, mixedScenarios } from './draw.ts';
import { FAMILIES, scenariosOf } from './family.ts';
import { play } from './scenario.ts';
import { waitingScenarios } from './waiting-family.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      family: { type: 'string', default: 'seq' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      every: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
    },
  });
  const { family } = values;
  const programs = FAMILIES[family];
  const draw = { drawn: drawnScenarios, mixed: mixedScenarios, inputs: inputScenarios, waits: waitingScenarios }[
    family
  ];
  if (draw === undefined && programs === undefined) throw new Error(`no family ${family}`);
  const all =
    programs === undefined
      ? (draw as typeof drawnScenarios)(Number(values.seed))
      : [...programs()].flatMap((one) => [...scenariosOf(one)]);
  const until = Date.now() + Number(values.seconds) * 1000;
  const counts = new Map<string, number>();
  const whys = new Map<string, number>();
  let [nth, played] = [-1, 0];
  const every = Number(values.every);
  for (const scenario of all) {
    nth += 1;
    if (nth < Number(values.from) || (nth - Number(values.seed)) % every !== 0) continue;
    if (Date.now() > until) break;
    const { verdict, why } = await play(scenario).catch((error: Error) => ({
      verdict: `thrown: ${error.message}`,
      why: error.stack ?? '',
    }));
    played += 1;
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (verdict === 'refused' || verdict === 'parked') {
      const cause = why.replace(/"[^"]*"|\d+/g, '…');
      whys.set(cause, (whys.get(cause) ?? 0) + 1);
    }
    if (verdict.startsWith('unsafe') || verdict.startsWith('thrown'))
      console.log(nth, verdict, JSON.stringify(scenario), why.slice(0, 1500));
  }
  const size = Array.isArray(all) ? String(all.length) : 'drawn';
  console.log(`${family}: ${played} of ${size}, up to number ${nth}`, Object.fromEntries(counts));
  for (const [cause, count] of [...whys].sort((a, b) => b[1] - a[1]).slice(0, 12))
    console.log(String(count).padStart(6), cause.slice(0, 200));
}

await main();
