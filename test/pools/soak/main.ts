/** 400 runs over two pools under 8 workers, some of which are killed, on SQLite and on PostgreSQL: `npm run prove soak-pools -- [RUNS] [SEED]`. */
import { soaked } from '../../workers/contention/soaked.ts';
import { spend } from './trial.ts';

process.exitCode = await soaked('prove soak-pools', async (fleet, { runs, chance }) => {
  const outcome = await spend({ ...fleet, runs, chance, aborted: 10 });
  const over = outcome.done + outcome.compensated;
  return {
    ...outcome,
    wrong: over === runs ? outcome.wrong : [...outcome.wrong, `${runs - over} runs have not ended`],
  };
});
