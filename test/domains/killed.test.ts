/** The agent is killed with SIGKILL, taken up again by another process, and nobody is invited twice. `BELAY_KILLS=all` kills everywhere. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./deadly-run.mjs', import.meta.url));
const INPUT = { slots: ['Kickoff', 'Budget'] };

type Death =
  | { at: number; when: 'before' | 'after' | 'durable' }
  | { in: 'sending'; ms: number }
  | { in: 'sent' }
  | null;

interface End {
  readonly status: string;
  readonly appends: number;
  readonly decisions: readonly string[];
  readonly world: Readonly<Record<string, readonly object[]>>;
}

async function live(folder: string, death: Death): Promise<End | 'killed'> {
  const args = [SCRIPT, folder, JSON.stringify(INPUT), JSON.stringify(death)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (signal === 'SIGKILL') return 'killed';
  return JSON.parse(said) as End;
}

async function within<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-killed-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills a run, and once more its second process if told to; then lets it end. */
async function killedAndTakenUp(deaths: readonly Death[]): Promise<{ end: End; kills: number }> {
  return within(async (folder) => {
    let kills = 0;
    for (const death of deaths) if ((await live(folder, death)) === 'killed') kills += 1;
    const end = await live(folder, null);
    if (end === 'killed') throw new Error('nobody was to kill it');
    return { end, kills };
  });
}

describe('schedule-form under SIGKILL', () => {
  let whole: End;
  beforeAll(async () => {
    whole = (await within((folder) => live(folder, null))) as End;
  });

  test('a run that nobody kills ends with one invitation for each', () => {
    expect(whole.status).toBe('done');
    expect(whole.world.mail).toHaveLength(2);
    expect(whole.decisions).toEqual([]);
  });

  const moments = ['before', 'after', 'durable'] as const;
  const everywhere = process.env.BELAY_KILLS === 'all';

  test('killed at appends from the first to the last, before and after they are durable, it ends in the same world', async () => {
    const step = everywhere ? 1 : 13;
    const deaths = Array.from({ length: Math.ceil(whole.appends / step) }, (_, index) => 1 + index * step);
    let kills = 0;
    for (const [index, at] of deaths.entries()) {
      for (const when of everywhere ? moments : [moments[index % 3] as (typeof moments)[number]]) {
        const { end, kills: more } = await killedAndTakenUp([{ at, when }]);
        kills += more;
        expect({ at, when, status: end.status, world: end.world }).toEqual({
          at,
          when,
          status: 'done',
          world: whole.world,
        });
      }
    }
    expect(kills).toBe(everywhere ? deaths.length * 3 : deaths.length);
  });

  test('killed around the submission, twice over, nobody is invited twice and nobody is left out', async () => {
    const deaths: Death[][] = [
      [{ in: 'sent' }],
      [{ in: 'sent' }, { at: 1, when: 'durable' }],
      ...(everywhere ? [0, 2, 5, 9] : [2, 9]).map((ms): Death[] => [{ in: 'sending', ms }]),
      [{ in: 'sending', ms: 3 }, { in: 'sent' }],
    ];
    let kills = 0;
    for (const death of deaths) {
      const { end, kills: more } = await killedAndTakenUp(death);
      kills += more;
      expect({ death, status: end.status, world: end.world }).toEqual({ death, status: 'done', world: whole.world });
    }
    expect(kills).toBeGreaterThanOrEqual(deaths.length - 1);
  });
});
