/**
 * What a replay costs that claims finished work: `npm run bench claims`. A loop of units is set aside whole and claimed one by one; the
 * time of four times as many is to be at most five times as long. Prints medians of one run; asserts nothing.
 */
import { loadConfig } from '../src/boundaries/load.ts';
import { memoryStore } from '../src/journal/memory/store.ts';
import { attach } from '../src/xstate/attach.ts';
import { LOOP, loopOf } from './loop.ts';

const ROUNDS = 5;
const GOAL = 5;

const { config, findings } = loadConfig(LOOP, { file: 'loop.yaml' });
if (config === null) throw new Error(JSON.stringify(findings));
const reviewed = config;

/** Milliseconds from a complaint about the read until all units are claimed. */
async function replay(units: number): Promise<number> {
  const sidecar = await attach(loopOf(units, { read: () => 'x', pay: (n) => `p${n}` }), {
    run: 'claims',
    config: reviewed,
    journal: memoryStore(),
  });
  const resting = () => (sidecar.actor.getSnapshot() as { value: unknown }).value === 'rest';
  const rest = async () => {
    while (!resting()) await new Promise((resolve) => setImmediate(resolve));
  };
  sidecar.actor.start();
  await rest();
  const start = performance.now();
  const report = await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
  if (report === null) throw new Error('nothing was decided');
  await rest();
  const took = performance.now() - start;
  await sidecar.close();
  return took;
}

const times: Record<number, number[]> = { 100: [], 400: [] };
for (let round = 0; round < ROUNDS; round += 1) for (const units of [100, 400]) times[units]?.push(await replay(units));
const median = (units: number) => (times[units] as number[]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
const ratio = median(400) / median(100);
console.log('A replay that claims finished units (ms, medians)');
for (const units of [100, 400]) console.log(`  ${units} units   ${median(units).toFixed(1).padStart(9)}`);
console.log(`  ratio       ${ratio.toFixed(2).padStart(9)}   at most ${GOAL}: ${ratio <= GOAL ? 'met' : 'MISSED'}`);
