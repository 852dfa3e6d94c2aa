/** The command over programs that are no machines: `belay work`, `belay start` and `belay send --wait` (semantics.md RC6). */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sendEvent } from '../../src/cli/messages/sending.ts';
import { previewSteer } from '../../src/cli/preview/preview-steer.ts';
import { loadMachines } from '../../src/cli/reading/machines.ts';
import { agentNamed } from '../../src/cli/run/run.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker } from '../../src/workers/worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-command-'));

describe('the command', () => {
  test('carries the programs of a module, sends a turn and prints what it says', async () => {
    const path = fileURLToPath(new URL('../workers/program-agents.ts', import.meta.url));
    const machines = await loadMachines(path);
    if ('problem' in machines) throw new Error(machines.problem);
    expect([[...machines.agents.keys()], [...machines.programs.keys()]]).toEqual([[], ['shop']]);
    expect(agentNamed('shop', machines)).toEqual({
      problem: '"shop" is no machine: belay start RUN --agent shop leaves a run of it for belay work',
    });
    const journal = join(mkdtempSync(join(folder, 'cli-')), 'runs.db');
    const store = sqliteStore(journal);
    const worker = startWorker({ store, agents: machines.programs.values(), folderOf: () => folder, pollMs: 10 });
    await workClient(store).start({ run: 'chat', agent: 'shop' });
    const turn = { journal, run: 'chat', at: null, by: null, seen: null, waits: true } as const;
    const said = await sendEvent({ ...turn, event: '{"type":"turn","input":"quote"}', id: 'm1' });
    expect(said).toMatchObject({ outcome: { is: 'taken', turn: { nth: 1, isOver: true, said: ['quoted 100'] } } });
    const other = await sendEvent({ ...turn, event: '{"type":"other"}', id: 'm2' });
    expect(other).toMatchObject({ event: 'other' });
    await worker.stop();
    await store.close();
    const act = {
      journal,
      run: 'chat',
      act: 'retract',
      event: 'm1',
      to: null,
      from: null,
      later: [],
      base: null,
      undone: [],
      id: null,
    };
    const ahead = await previewSteer(
      { ...act, by: 'ada', why: null },
      { machines: path, config: null, onModule: () => {} },
    );
    expect(ahead).toMatchObject({ event: 'm1', is: 'refused', why: expect.stringMatching(/^said_to_person/) });
  });

  test('refuses a module whose agent has a program that is none', async () => {
    const path = join(folder, 'bad.mjs');
    writeFileSync(path, 'export const agents = { bad: { program: {}, config: "x", about: "y", open() {} } };');
    expect(await loadMachines(path)).toEqual({
      problem: `${path}: bad_agent "bad" of its agents has no program that is a loop, a flow or the threads of a graph`,
    });
  });
});
