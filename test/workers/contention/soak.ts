/** 400 runs over 20 lists under 8 workers, on SQLite and on PostgreSQL: `npm run prove soak-claims -- [RUNS] [SEED]`. */
import { soaked } from './soaked.ts';
import { contend } from './trial.ts';

process.exitCode = await soaked('prove soak-claims', async (fleet, { runs, chance }) => {
  const outcome = await contend({ ...fleet, runs, chance, cancelled: 10 });
  const over = outcome.done + outcome.cancelled;
  const isOver = over === runs && outcome.left === 0;
  const left = `${runs - over} runs, ${outcome.left} claims are left`;
  return { ...outcome, wrong: isOver ? outcome.wrong : [...outcome.wrong, left] };
});
