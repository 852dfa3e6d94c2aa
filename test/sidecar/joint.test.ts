/** Level 2: a line crosses the commitments of those instances that the policy names, and of no others. */
import { describe, expect, test } from 'vitest';
import { Line, of, type Station } from './stations.ts';

describe('level 2, by name', () => {
  const pair = (rollback: string): readonly Station[] => [
    { name: 'a', reads: ['wanted'], rollback },
    { name: 'b', reads: ['a'] },
    { name: 'c', reads: ['b'] },
  ];

  test('a line crosses the commitments of those that the policy names', async () => {
    const line = new Line(pair('joint: [B, C]'), { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.verdicts).toEqual(['restore_joint 2']);
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(run.context).toMatchObject({ a: 'a1', b: 'b a1', c: 'c b a1' });
    await run.close();
  });

  test('and not those of anybody else: a name that is missing is the act that would unblock it', async () => {
    const line = new Line(pair('joint: [B]'), { a: ({ nth }) => `a${nth}` });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.verdicts).toEqual(['rerun 2']);
    expect(line.reports[0]?.decision).toMatchObject({
      unblock: { leadsTo: 'restore_joint', acts: [{ act: 'allow_joint', instances: [of('c')] }] },
    });
    await run.close();
  });
});
