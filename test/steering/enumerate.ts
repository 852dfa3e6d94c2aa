/**
 * Enumerates acts on events over real machines under the sidecar (semantics.md ST): `npx tsx test/steering/enumerate.ts [--family seq|par|handlers|input|drawn|mixed|inputs|waits|records|crossed]
 * [--seconds 60] [--seed 1] [--every 1] [--from 0] [--by-hand]`. Prints the share that was played, the verdicts, and each scenario that ended wrong.
 */
import { parseArgs } from 'node:util';
import { type Crossed, cross } from './crossed.ts';
import { crossedScenarios, drawnScenarios, inputScenarios, mixedScenarios } from './draw.ts';
import { FAMILIES, scenariosOf, undoneByHand } from './family.ts';
import { recordScenarios } from './records-family.ts';
import { play, type Scenario } from './scenario.ts';
import { waitingScenarios } from './waiting-family.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      family: { type: 'string', default: 'seq' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      every: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      'by-hand': { type: 'boolean', default: false },
    },
  });
  const { family } = values;
  const programs = FAMILIES[family];
  const draw = {
    ...{ drawn: drawnScenarios, mixed: mixedScenarios, inputs: inputScenarios },
    ...{ waits: waitingScenarios, records: recordScenarios, crossed: crossedScenarios },
  }[family];
  if (draw === undefined && programs === undefined) throw new Error(`no family ${family}`);
  const all =
    programs === undefined
      ? (draw as typeof drawnScenarios)(Number(values.seed))
      : [...programs()].flatMap((one) => [...scenariosOf(one)]);
  const until = Date.now() + Number(values.seconds) * 1000;
  const counts = new Map<string, number>();
  const whys = new Map<string, number>();
  let [nth, played, unblocked] = [-1, 0, 0];
  const every = Number(values.every);
  for (const scenario of all) {
    nth += 1;
    if (nth < Number(values.from) || (nth - Number(values.seed)) % every !== 0) continue;
    if (Date.now() > until) break;
    const given = values['by-hand'] ? undoneByHand(scenario) : scenario;
    const { verdict, why, freed } = await told(given);
    unblocked += freed;
    played += 1;
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    note(whys, verdict, why);
    if (verdict.startsWith('unsafe') || verdict.startsWith('thrown'))
      console.log(nth, verdict, JSON.stringify(given), why.slice(0, 1500));
  }
  const size = Array.isArray(all) ? String(all.length) : 'drawn';
  console.log(`${family}: ${played} of ${size}, up to number ${nth}`, Object.fromEntries(counts));
  console.log(`${unblocked} calls undone by hand let an act through`);
  for (const [cause, count] of [...whys].sort((a, b) => b[1] - a[1]).slice(0, 12))
    console.log(String(count).padStart(6), cause.slice(0, 200));
}

/** Counts the cause of a refusal or a park. */
function note(whys: Map<string, number>, verdict: string, why: string): void {
  const cause = why.replace(/"[^"]*"|belay-\S+|\d+/g, '…');
  if (verdict === 'refused' || verdict === 'parked') whys.set(cause, (whys.get(cause) ?? 0) + 1);
}

/** Plays a scenario; one that throws is told as well. */
function told(scenario: Scenario | Crossed) {
  if ('deaths' in scenario) return cross(scenario).then((one) => ({ ...one, freed: 0 }));
  return play(scenario).catch((error: Error) => {
    return { verdict: `thrown: ${error.message}`, why: error.stack ?? '', freed: 0 };
  });
}

await main();
