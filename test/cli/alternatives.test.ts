/** AL5, AL7: what people read of a choice at the terminal: each candidate, why it lost, and what of it is undone. */
import { expect, test } from 'vitest';
import { answerGate } from '../../src/cli/approvals/answering.ts';
import { listGates } from '../../src/cli/approvals/approvals.ts';
import { explainRun } from '../../src/cli/explain/explanation.ts';
import { showRun } from '../../src/cli/run/show.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attach } from '../../src/xstate/index.ts';
import { agentOf } from '../alternatives/agent.ts';
import { until } from '../poll.ts';
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

test('AL11: approvals list the branches with commands that choose them, approve takes the name of one, and explain says who chose', async () => {
  const file = `${folder}/asked.db`;
  const store = sqliteStore(file);
  const { machine, config } = agentOf({
    branches: { rome: ['book'], oslo: ['book'] },
    tools: TOOLS,
    choose: 'rule: gate, score: "entity == \'oslo\' ? 2 : 1"',
  });
  const sidecar = await attach(machine, { run: 'trip', config, journal: store, undo: { un: async () => {} } });
  sidecar.actor.start();
  await until(() => sidecar.requests().length > 0);
  await sidecar.durable();
  const medium = { colours: false, columns: 100 };
  const list = { file, run: null, all: false, medium, counting: () => {}, now: Date.now() } as const;
  const text = textOf(await listGates({ ...list, json: false }));
  expect(text).toContain('which branch of Trip is chosen?');
  expect(text.replace(/\s+/g, ' ')).toContain(
    'branch oslo: over, score 2, {"outs":["book oslo"]}; book {"branch":"oslo"} made',
  );
  const [{ gate = '', commands = [] } = {}] = textOf(await listGates({ ...list, json: true }))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { gate: string; commands: string[] });
  expect(commands).toEqual([
    expect.stringMatching(new RegExp(`^belay approve ${gate} .*--with rome --by NAME`)),
    expect.stringMatching(new RegExp(`^belay approve ${gate} .*--with oslo --by NAME`)),
    expect.stringMatching(new RegExp(`^belay deny ${gate} .*--by NAME`)),
  ]);
  const word = { file, gate, by: 'ada', why: null, waits: true, now: Date.now() };
  for (const other of [null, 'bali'])
    expect(await answerGate({ ...word, saying: { verdict: 'approved', with: other } })).toMatchObject({
      code: 1,
      problem: expect.stringContaining('--with "oslo"'),
    });
  const options = { file, run: 'trip', medium, counting: () => {} } as never;
  const explained = () => explainRun({ ...(options as object), all: false, json: false } as never).then(textOf);
  expect(await explained()).toContain('chooses that branch of Trip');
  expect(await answerGate({ ...word, saying: { verdict: 'approved', with: 'rome' } })).toMatchObject({
    tool: 'Trip',
    taken: { verdict: 'approved' },
  });
  expect((await sidecar.finished()).status).toBe('done');
  await sidecar.close();
  await store.close();
  expect(await explained()).toContain('Choice of Trip (gate, "ada"): rome was chosen');
});
