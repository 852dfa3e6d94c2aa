/** AL5, AL7: what people read of a choice at the terminal: each candidate, why it lost, and what of it is undone. */
import { expect, test } from 'vitest';
import { explainRun } from '../../src/cli/explain/explanation.ts';
import { showRun } from '../../src/cli/run/show.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attach } from '../../src/xstate/index.ts';
import { agentOf } from '../alternatives/agent.ts';
import { scratchFolder } from '../scratch.ts';

const TOOLS = `
  book: { reads: [], writes: ['seat:{args.branch}'], effect: compensable, undo: un }
  look: { reads: [], writes: [], effect: none }`;

const folder = scratchFolder('choices');
/** All lines of a report. */
const textOf = (lines: unknown) => [...(lines as { pieces: Iterable<string> }).pieces].join('');

test('AL5: explain and show tell each candidate with its score, and what it did', async () => {
  const file = `${folder}/runs.db`;
  const store = sqliteStore(file);
  const branches = { rome: ['book'], oslo: ['book'] };
  const { machine, config } = agentOf({
    branches,
    tools: TOOLS,
    choose: 'rule: best, score: "entity == \'oslo\' ? 2 : 1"',
  });
  const sidecar = await attach(machine, { run: 'trip', config, journal: store, undo: { un: async () => {} } });
  sidecar.actor.start();
  await sidecar.finished();
  await sidecar.close();
  await store.close();
  const options = { file, run: 'trip', medium: { colours: false, columns: 100 }, counting: () => {} } as never;
  const text = textOf(await explainRun({ ...(options as object), all: false, json: false } as never));
  expect(text).toContain('Choice of Trip (best): oslo was chosen');
  expect(text).toMatch(/rome: lost, score 1; book undone/);
  const shown = JSON.parse(textOf(await showRun({ ...(options as object), json: true } as never)));
  expect(shown.choices).toMatchObject([
    {
      winner: 'oslo',
      candidates: [
        { branch: 'rome', is: 'lost', score: 1, calls: [{ is: 'undone' }] },
        { is: 'won', calls: [] },
      ],
    },
  ]);
  expect(textOf(await showRun({ ...(options as object), json: false } as never))).toMatch(
    /Choices\n[\s\S]*rome +lost +1 +book undone/,
  );
});
