/**
 * Enumerates acts on events over real machines under the sidecar (semantics.md ST): `npx tsx test/steering/enumerate.ts [--family seq|par|handlers|input|drawn|mixed|inputs|waits|records|crossed]
 * [--seconds 60] [--seed 1] [--every 1] [--from 0] [--by-hand] [--wider cancels,repeats,discards,gates,early,rounds] [--beside 1] [--told]`. Prints the share that was
 * played, the verdicts, and each scenario that ended wrong. `--wider` has more come to crossed runs, `--beside` plays several at a time, and `--told` prints
 * each number before it is played: one that never gives the process back is the last one.
 */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Crossed, cross } from './crossed.ts';
import { crossedScenarios, drawnScenarios, inputScenarios, mixedScenarios, WIDER, widerScenarios } from './draw.ts';
import { FAMILIES, scenariosOf, undoneByHand } from './family.ts';
import { recordScenarios } from './records-family.ts';
import { play, type Scenario } from './scenario.ts';
import { waitingScenarios } from './waiting-family.ts';

const { values: given } = parseArgs({
  options: {
    family: { type: 'string', default: 'seq' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    wider: { type: 'string', default: '' },
    beside: { type: 'string', default: '1' },
    told: { type: 'boolean', default: false },
    'by-hand': { type: 'boolean', default: false },
  },
});
const seed = Number(given.seed);

/** The scenarios of the family that is asked for. */
function scenarios(): Iterable<Scenario | Crossed> {
  const names = given.wider.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !Object.hasOwn(WIDER, name));
  if (unknown !== undefined) throw new Error(`no wider family ${unknown}`);
  const crossed = () => (names.length > 0 ? widerScenarios(seed, names) : crossedScenarios(seed));
  const draw = {
    ...{ drawn: drawnScenarios, mixed: mixedScenarios, inputs: inputScenarios },
    ...{ waits: waitingScenarios, records: recordScenarios, crossed },
  }[given.family];
  const programs = FAMILIES[given.family];
  if (programs !== undefined) return [...programs()].flatMap((one) => [...scenariosOf(one)]);
  if (draw === undefined) throw new Error(`no family ${given.family}`);
  return draw(seed);
}

/** The scenarios that are played, with their numbers. */
function* numbered(all: Iterable<Scenario | Crossed>): Generator<readonly [number, Scenario | Crossed]> {
  const until = Date.now() + Number(given.seconds) * 1000;
  let nth = -1;
  for (const scenario of all) {
    nth += 1;
    if (nth < Number(given.from) || (nth - seed) % Number(given.every) !== 0) continue;
    if (Date.now() > until) return;
    if (given.told) writeSync(1, `${nth}\n`);
    yield [nth, given['by-hand'] ? undoneByHand(scenario) : scenario];
  }
}

async function main(): Promise<void> {
  const all = scenarios();
  const counts = new Map<string, number>();
  const whys = new Map<string, number>();
  let [last, played, unblocked] = [-1, 0, 0];
  const next = numbered(all);
  const lane = async () => {
    for (const [nth, scenario] of next) {
      const { verdict, why, freed } = await told(scenario);
      unblocked += freed;
      played += 1;
      last = Math.max(last, nth);
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      note(whys, verdict, why);
      if (verdict.startsWith('unsafe') || verdict.startsWith('thrown'))
        console.log(nth, verdict, JSON.stringify(scenario), why.slice(0, 1500));
    }
  };
  await Promise.all(Array.from({ length: Number(given.beside) }, lane));
  const size = Array.isArray(all) ? String(all.length) : 'drawn';
  console.log(`${given.family}: ${played} of ${size}, up to number ${last}`, Object.fromEntries(counts));
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
