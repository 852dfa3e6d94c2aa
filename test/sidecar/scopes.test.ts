/** Dependencies through things outside of the memory that are named in more than one way. */
import { expect, test } from 'vitest';
import { Line, of } from './stations.ts';

/** Whether B, which reads the one, goes back with A, which wrote the other, when A is found to be wrong. */
async function goesBack(written: string, read: string, scopes = ''): Promise<boolean> {
  const line = new Line(
    [
      { name: 'a', reads: ['turn'], outside: { writes: [written] }, rollback: 'joint: [B]' },
      { name: 'b', reads: ['wanted'], outside: { reads: [read] } },
    ],
    {},
    scopes,
  );
  const run = await line.begin();
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.at('rest');
  await run.close();
  const [verdict = 'none'] = line.verdicts;
  expect(['restore 0', 'restore_joint 2']).toContain(verdict);
  return verdict === 'restore_joint 2';
}

test('two spellings of one file are one dependency, whoever spells it', async () => {
  expect(await goesBack('fs:/repo/src/../X', 'fs:/repo//{args.wanted}')).toBe(true);
  expect(await goesBack('fs:/repo/src/../Y', 'fs:/repo//{args.wanted}')).toBe(false);
});

test('an act on an object is an act on what it is linked to', async () => {
  const scopes = 'scopes: { inv: links, order: links }';
  const order = 'order:7(consumes=inv:item:{args.turn})';
  expect(await goesBack(order, 'inv:item:0', scopes)).toBe(true);
  expect(await goesBack(order, 'order:7', scopes)).toBe(true);
  expect(await goesBack(order, 'inv:item:1', scopes)).toBe(false);
});

test('a name that cannot be read might be any of its scheme', async () => {
  expect(await goesBack('fs:/repo/x', 'fs:../{args.wanted}')).toBe(true);
  expect(await goesBack('https://shop.example/x', 'fs:../{args.wanted}')).toBe(false);
});

test.each([
  ['a thing', 'thing:x', 'thing:x', ['A it 0 entry']],
  // Who entered B and C is undone with A, so that nothing of them is kept.
  ['a file, since it may be another file', 'fs:/x', 'fs:/X', ['A it 0 entry', 'B it 0 none', 'C it 0 none']],
])('who has written blindly over %s', async (_what, first, second, moved) => {
  const line = new Line(
    [
      { name: 'a', reads: ['turn'], outside: { writes: [first] }, rollback: 'joint: [B, C]' },
      { name: 'b', reads: ['wanted'], outside: { writes: [second] } },
      { name: 'c', reads: ['wanted'], outside: { reads: [first] } },
    ],
    {},
    "keys: { blind: ['**'] }",
  );
  const run = await line.begin();
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  expect(line.moves(0)).toEqual(moved);
  await run.close();
});
