import { expect, test } from 'vitest';
import { type Step, walkReadme } from './readme.ts';

test('a new user who follows the README in an empty folder sees what it shows', () => {
  const steps: Step[] = [];
  walkReadme(false, (step) => steps.push(step));
  expect(steps.map(({ command }) => command.split(' ').slice(0, 2).join(' '))).toEqual([
    'npm pack',
    'npm init',
    'npm pkg',
    'npm install',
    'npx belay',
    'npx tsx',
    'npx belay',
  ]);
  for (const { command, output, shown } of steps)
    if (shown !== null) expect([command, output]).toEqual([command, shown]);
  expect(steps.at(-1)?.output).toContain('order-1');
});
