/**
 * The public data sets, which the repository does not contain: BELAY_DATA names the directory in which they lie (audit/workloads/README.md).
 * Without it what needs them is left out, and says so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ownAdapters } from '../../audit/workloads/adapters.ts';
import { type Comparison, compare } from '../../audit/workloads/compare.ts';
import { POLICIES } from '../../audit/workloads/policies.ts';
import { promisesOf } from '../../audit/workloads/promises.ts';
import { readDirectory } from '../../audit/workloads/read.ts';
import { readConfig, readLock } from '../../src/boundaries/directory.ts';
import { isReviewed } from '../../src/boundaries/review.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SETS = await ownAdapters();
const DATA = process.env.BELAY_DATA;
const why =
  DATA === undefined
    ? 'BELAY_DATA names no directory'
    : existsSync(DATA)
      ? null
      : `there is no directory ${DATA}, which BELAY_DATA names`;
if (why !== null)
  console.log(`The tests that need the public data sets are skipped: ${why} (audit/workloads/README.md).`);

describe.skipIf(why !== null)('the public data sets', () => {
  const { found } = why === null ? readDirectory(DATA as string, SETS) : { found: [] };

  test('are there, every one of them', () => {
    expect([...new Set(found.map(({ set }) => set.name))].sort()).toEqual(SETS.map(({ name }) => name).sort());
  });

  test.for(found)(
    '$folder: every promise is kept at p = 0.3, by figures that this run has counted',

    async (one) => {
      const wanted = { probabilities: [0.3], repeat: 1, seed: 11, policies: POLICIES, asks: true };
      const comparison: Comparison = await compare({ found: [one], ...wanted });
      const promises = promisesOf(comparison);
      expect(promises.length).toBeGreaterThanOrEqual(7);
      expect(promises.filter(({ kept }) => !kept)).toEqual([]);
    },
  );

  test.for(found)(
    '$folder: nothing of it breaks where nobody can be asked; it waits, and says for whom',

    async (one) => {
      const wanted = { probabilities: [0.3], repeat: 1, seed: 11, policies: ['belay', 'oracle'] as const, asks: false };
      const comparison = await compare({ found: [one], ...wanted });
      expect(promisesOf(comparison).filter(({ kept }) => !kept)).toEqual([]);
      const belay = comparison.cells.find(({ policy }) => policy === 'belay');
      expect(belay?.runs.filter(({ status }) => status === 'broken' || status === 'spent')).toEqual([]);
      expect(belay?.runs.some(({ status }) => status === 'parked')).toBe(true);
    },
  );
});

describe('an adapter', () => {
  const adapters = readdirSync(join(ROOT, 'audit', 'workloads', 'sets')).filter((name) => name.endsWith('.ts'));

  test.each(adapters)('%s has less than 170 lines, and one boundary config, which is reviewed', (name) => {
    const lines = readFileSync(join(ROOT, 'audit', 'workloads', 'sets', name), 'utf8').split('\n').length - 1;
    expect(lines).toBeLessThan(170);
    const file = join(ROOT, 'audit', 'workloads', 'sets', name.replace('.ts', '.yaml'));
    const { config, findings } = readConfig(file);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const read = readLock(file);
    expect(config !== null && 'lock' in read && isReviewed(read.lock, config)).toBe(true);
  });

  test.each(SETS.map((set) => [set.name, set] as const))(
    '%s says of each tool that changes the world who can be asked',
    (_, set) => {
      const { config } = readConfig(set.config);
      const changing = [...(config?.tools.values() ?? [])]
        .filter(({ effect }) => effect !== 'none')
        .map(({ name }) => name);
      expect(Object.keys(set.asks).sort()).toEqual(changing.sort());
    },
  );

  test('is known to nothing in src/, by no name of a set', () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const named = files.filter((file) => {
      const text = readFileSync(join(ROOT, 'src', file), 'utf8');
      const names = SETS.flatMap(({ name, machine }) => [name, machine.id]);
      return (
        names.some((name) => new RegExp(`['"\`]${name}['"\`]`).test(text)) ||
        /tau2|dstc8|jaffle|travelplanner/i.test(text)
      );
    });
    expect(named).toEqual([]);
  });
});
