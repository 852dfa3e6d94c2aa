/** What `belay rehearse` runs first, and what it says last: the tools and boundaries that have met every fault. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Desk } from './agents.ts';

const desk = new Desk();
afterAll(() => desk.clear());

test('says last which tools and boundaries have met every fault, and which have not', async () => {
  const { out } = await desk.ask('rehearse', 'order', '--only', 'call/pay#1/lost');
  const said = out.slice(out.indexOf('Every fault met: ')).replace(/\s+/g, ' ');
  expect(said).toMatch(/^Every fault met: nothing; not askPrice \(0 of \d+\), pay \(3 of \d+\), ship \(0 of \d+\)/);
});

test('rehearses first what has changed since another config', async () => {
  const old = join(desk.folder, 'before.yaml');
  const now = readFileSync(fileURLToPath(new URL('fixtures/order.yaml', import.meta.url)), 'utf8');
  writeFileSync(old, now.replace('"courier:parcels"], effect: irreversible', '"courier:parcels"], effect: idempotent'));
  const { out } = await desk.ask('rehearse', 'order', '--changed', 'before.yaml', '--sample', '4', '--json');
  const report = JSON.parse(out) as { cells: { fault: { tool?: string } }[]; changed: object };
  expect(report.changed).toEqual({ since: 'before.yaml', tools: ['ship'], skeletons: [] });
  expect(report.cells.map(({ fault }) => fault.tool)).toEqual(Array.from({ length: 4 }, () => 'ship'));
  writeFileSync(old, now);
  const same = await desk.ask('rehearse', 'order', '--changed', 'before.yaml', '--only', 'call/pay#1/lost');
  expect(same.out).toContain('No tool and no boundary has changed in meaning since before.yaml');
  const none = await desk.ask('rehearse', 'order', '--changed', 'nowhere.yaml');
  expect([none.code, none.out]).toEqual([2, '']);
});
