import { expect, test } from 'vitest';
import { type Step, walkReadme } from './readme.ts';

test('a new user who follows the README from an empty folder sees what it shows, and pays once though a worker is killed', async () => {
  const steps: Step[] = [];
  const { scripts, payments } = await walkReadme(false, (step) => steps.push(step));
  expect(steps.map(({ command }) => command)).toEqual([
    'npm init -y',
    'npm install ./belay-sidecar-0.1.0.tgz xstate tsx',
    'npx --no belay decide node_modules/belay-sidecar/docs/schedule.jsonl',
    'npx tsx run.mts',
    'cp -r node_modules/belay-sidecar/docs/workers .',
    'npx --no belay start order-2 --agent order',
    'npx --no belay work --module workers/agents.mjs',
  ]);
  const shown = steps.filter((step) => step.shown !== null);
  expect(shown).toHaveLength(2);
  for (const { command, output, shown: expected } of shown) expect([command, output]).toEqual([command, expected]);
  expect(scripts).toEqual(['better-sqlite3']);
  expect(payments).toHaveLength(1);
});
