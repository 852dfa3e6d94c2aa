import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import type { Clean } from '../../domains/etl-pipeline/batch.ts';
import { Sink } from '../../domains/etl-pipeline/sink.ts';
import { Source } from '../../domains/etl-pipeline/source.ts';
import { Warehouse } from '../../domains/etl-pipeline/warehouse.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import type { Fault } from '../../src/xstate/faults.ts';
import { folder, reviewed, runsOf } from './running.ts';

const agent = agents.etlPipeline;
const run = runsOf(agent);

const load = (entity: string): InstanceId => ({ skeleton: 'LoadTable', entity, ordinal: 0 });

const wentBackTo = ({ decision }: Awaited<ReturnType<typeof run>>) =>
  decision?.line?.moves.map(({ instance, keep }) => [instance.entity, keep === 'none' ? keep : keep.kind]);

describe('the machine and its boundaries', () => {
  const { size, warnings, notRecoverable } = reviewed(agent);

  test('have 15 states, 27 legal edges, 3 skeletons, 4 commits, 5 exits', () => {
    expect(size).toMatchObject({ states: 15, edges: 27, skeletons: 3, commits: 4, exits: 5 });
  });

  test('have two legal edges that are no boundary: nothing was delivered, and more was delivered', () => {
    expect(warnings).toEqual([]);
    expect(notRecoverable()).toEqual(['EXTRACTING -> TABLE_READY', 'CHECKING_LATE -> EXTRACTING']);
  });
});

describe('a run that never fails', () => {
  test('takes 24 actions with three tables, and certifies every boundary that it comes past', async () => {
    const { status, calls, world, findings } = await run({});
    expect([status, calls.length, findings]).toEqual(['done', 24, []]);
    expect(world).toMatchObject({
      batch: [{ number: 1 }],
      customers: { length: 4 },
      orders: { length: 5 },
      payments: { length: 4 },
      quarantine: [{ id: 'o3', reason: 'amount is no number' }],
      publication: { length: 1 },
      record: [{ orders: 5, set_aside: 1 }],
    });
  });

  test('sets aside what a constraint refuses, and loads the rest', async () => {
    const clashing = { customers: ['clashing'], orders: ['clean', 'clashing'], payments: ['clashing'] };
    const { world, findings } = await run({ source: clashing });
    expect(findings).toEqual([]);
    expect(world.quarantine).toMatchObject([
      { id: 'c9', reason: 'UNIQUE constraint failed: customers.email' },
      { id: 'o9', reason: 'FOREIGN KEY constraint failed' },
      { id: 'p9', reason: 'CHECK constraint failed: cents > 0' },
    ]);
    expect([world.customers?.length, world.orders?.length, world.payments?.length]).toEqual([4, 5, 4]);
  });

  test('opens a table again for what arrives late, as its next occurrence, and reports once', async () => {
    const { world, calls, findings } = await run({ source: { orders: ['late'] } });
    expect([findings, calls.filter((call) => call === 'check_late').length, world.publication?.length]).toEqual([
      [],
      2,
      1,
    ]);
    expect(world.orders).toContainEqual(expect.objectContaining({ id: 'o1', status: 'shipped', loads: 2 }));
    expect(world.watermark).toContainEqual({ source: 'orders', up_to: 200, moves: 2 });
  });

  test('goes on without a source that delivers nothing, or nothing that can be loaded', async () => {
    const { status, world } = await run({ source: { orders: ['absent'], payments: ['spoiled'] } });
    expect([status, world.orders, world.payments]).toEqual(['done', [], []]);
    expect([world.quarantine?.length, world.watermark?.length, world.publication?.length]).toEqual([4, 2, 1]);
  });

  test('only loads, where no report is wanted', async () => {
    const loaded = await run({ mode: 'load', tables: ['customers'] });
    expect([loaded.value, loaded.world.customers?.length, loaded.world.publication]).toEqual(['DONE', 4, []]);
  });

  test('refuses an input that is no request, and says why', async () => {
    await expect(agent.open({ run: 'r', folder: folder(), input: { mode: 'loud', tablets: 3 } })).rejects.toThrow(
      /no request.*additional properties.*\/mode must be equal to one of/,
    );
  });
});

describe('a delivery that is not whole', () => {
  const uploading = { source: { orders: ['uploading'] } };
  const fault = { tool: 'confirm_receipt', nth: 2, when: 'after', signal: 'TIMEOUT' } as const;

  test('is gone on with, and whole once the upload has been followed to its end', async () => {
    const { world, calls, findings } = await run(uploading);
    expect([findings, calls.filter((call) => call === 'follow_upload').length]).toEqual([[], 1]);
    expect(world).toEqual((await run({})).world);
  });

  test('promises nothing: the table goes back to its entry, and is extracted again', async () => {
    const failed = await run(uploading, fault);
    expect(wentBackTo(failed)).toEqual([['orders', 'entry']]);
    expect(failed.world).toEqual((await run({})).world);
  });

  test('would be kept and parked on, its rows missing, were it promised all the same', async () => {
    const text = readFileSync(agent.config, 'utf8').replaceAll(
      'memory.tables[entity].check.complete',
      'memory.asked != null',
    );
    const lax = loadConfig(text, { file: 'etl-pipeline.yaml' });
    if (lax.config === null) throw new Error(JSON.stringify(lax.findings));
    const failed = await run(uploading, fault, { config: lax.config });
    expect([failed.status, wentBackTo(failed)]).toEqual(['parked', [['orders', 'commit']]]);
    expect((failed.world.orders ?? []).length).toBeLessThan(5);
  });

  test('is told of where a report that stays relies on it', async () => {
    const { status, findings } = await run({ source: { orders: ['overstated'] } });
    expect([status, findings]).toEqual(['done', [expect.stringMatching(/^uncovered_read publish_report/)]]);
  });
});

describe('a run that fails', () => {
  const failures: readonly [name: string, input: object, fault: Fault, verdict: string][] = [
    ['an extract that comes late', {}, { tool: 'extract_rows', nth: 2, when: 'before', signal: 'TIMEOUT' }, 'restore'],
    ['a lost number', {}, { tool: 'open_batch', when: 'after', signal: 'TOOL_EXCEPTION' }, 'restore'],
    ['a lost quarantine', {}, { tool: 'quarantine_rows', when: 'after', signal: 'INVALID_OUTPUT' }, 'settle'],
    ['a lost load', {}, { tool: 'load_rows', nth: 2, when: 'after', signal: 'TIMEOUT' }, 'settle'],
    ['a load that was never made', {}, { tool: 'load_rows', when: 'before', signal: 'TOOL_EXCEPTION' }, 'settle'],
    ['a denied watermark', {}, { tool: 'advance_watermark', when: 'before', signal: 'GOVERNOR_DENIED' }, 'restore'],
    [
      'a late delivery',
      { source: { orders: ['late'] } },
      { tool: 'transform_rows', nth: 4, when: 'before', signal: 'TIMEOUT' },
      'restore',
    ],
    ['a lost publication', {}, { tool: 'publish_report', when: 'after', signal: 'TIMEOUT' }, 'settle'],
    ['a report that was never published', {}, { tool: 'publish_report', when: 'before', signal: 'TIMEOUT' }, 'settle'],
    ['a lost record', {}, { tool: 'file_batch', when: 'after', signal: 'TOOL_EXCEPTION' }, 'restore'],
  ];

  test.each(failures)('ends in the same world: %s', async (_, input, fault, verdict) => {
    const [failed, whole] = [await run(input, fault), await run(input)];
    expect([failed.status, failed.decision?.verdict]).toEqual(['done', verdict]);
    expect(failed.world).toEqual(whole.world);
  });

  test('withdraws what was loaded, with whoever has read it and promised nothing', async () => {
    const input = { source: { orders: ['overstated'] } };
    const found = { during: 'load_rows', nth: 2, instance: load('customers'), key: 'tables/customers/loaded' };
    const failed = await run(input, found);
    expect([failed.status, failed.decision?.verdict, failed.decision?.line?.level]).toEqual(['done', 'restore', 1]);
    expect(failed.world).toEqual((await run(input)).world);
  });

  test('stands still where somebody who has committed relies on what is found wrong', async () => {
    const found = { during: 'advance_watermark', nth: 2, instance: load('customers'), key: 'tables/customers/loaded' };
    const { status, decision } = await run({}, found);
    expect(status).toBe('parked');
    expect(JSON.stringify(decision?.refusals)).toContain('committed_consumers_present');
  });

  test('stands still where the report is out', async () => {
    const found = { during: 'file_batch', instance: load('payments'), key: 'tables/payments/loaded' };
    const { status, decision, world } = await run({}, found);
    expect([status, world.publication?.length]).toEqual(['parked', 1]);
    expect(JSON.stringify(decision?.refusals)).toContain('irreversible_effect_policy');
  });

  test('stands still where nobody can be asked whether the report is out', async () => {
    const fault = { tool: 'publish_report', when: 'after', signal: 'TIMEOUT' } as const;
    const { decision } = await run({}, fault, { reconcilers: {} });
    expect(decision?.verdict).toBe('escalate');
  });
});

describe('the world', () => {
  const row = (id: string, name: string | null, email = `${id}@shop.invalid`): Clean => ({
    id,
    name,
    email,
    country: 'X',
  });
  const warehouse = () => new Warehouse(join(folder(), 'w.sqlite'));

  test('makes a change once for each key, and again without one', () => {
    const house = warehouse();
    for (const key of ['k', 'k', undefined]) house.load('customers', 1, [row('c1', 'Ada')], key);
    for (const key of ['b', 'b', undefined])
      house.open({ batch: 'n', mode: 'load', tables: ['customers'], source: {} }, key);
    expect(house.rows()).toMatchObject({ customers: [{ id: 'c1', loads: 2 }], batch: { length: 2 } });
    house.close();
  });

  test('loads all of a delivery or none of it, and names what it refuses', () => {
    const house = warehouse();
    const rows = [row('c1', 'Ada'), row('c2', null), row('c3', 'Cleo', 'c1@shop.invalid')];
    expect(house.load('customers', 1, rows, 'k')).toEqual({
      delivery: 1,
      rows: 0,
      refused: [
        { id: 'c2', reason: 'NOT NULL constraint failed: customers.name' },
        { id: 'c3', reason: 'UNIQUE constraint failed: customers.email' },
      ],
    });
    expect(house.rows().customers).toEqual([]);
    house.close();
  });

  test('withdraws a load once, also of rows that others refer to, and refuses where they were changed since', () => {
    const house = warehouse();
    house.load('customers', 1, [row('c1', 'Ada')], 'k');
    house.load('orders', 1, [{ id: 'o1', customer: 'c1', country: 'X', cents: 1, status: 'placed' }], 'o');
    house.load('customers', 2, [row('c1', 'Ada Bell')], 'l');
    expect(() => house.putBack('k', 'k~undo')).toThrow('changed since');
    house.putBack('l', 'l~undo');
    house.putBack('l', 'l~undo');
    expect(house.rows().customers).toMatchObject([{ name: 'Ada', loads: 1 }]);
    expect(() => house.putBack('k', 'k~undo')).toThrow('FOREIGN KEY');
    house.putBack('o', 'o~undo');
    house.putBack('k', 'k~undo');
    expect(house.rows()).toMatchObject({ customers: [], orders: [] });
    house.close();
  });

  test('keeps every publication, and knows them by their keys', () => {
    const where = folder();
    const report = { batch: 'n', lines: [] };
    const sink = new Sink(where);
    const first = sink.publish(report, 'k');
    expect(new Sink(where).publish(report, 'k')).toEqual(first);
    expect([sink.find('k'), sink.find('other')]).toEqual([first, null]);
    sink.publish(report, undefined);
    expect(sink.all()).toEqual([report, report]);
  });

  test('has a source that is short until its upload is followed, and lets go of that when its receipt is confirmed', () => {
    const where = join(folder(), 'source');
    const request = { source: { orders: ['uploading'] } } as const;
    const source = new Source(where, request);
    for (const each of [source, new Source(where, request)])
      expect(each.extract('orders', 0)).toMatchObject({ announced: 6, rows: { length: 3 } });
    for (const each of [source, new Source(where, request)])
      expect(each.follow('orders')).toMatchObject([{ id: 'o4' }, { id: 'o5' }, { id: 'o6' }]);
    source.confirm('orders', 1);
    expect([source.confirmed(), source.follow('orders')]).toEqual([[{ source: 'orders', delivery: 1 }], []]);
    expect(source.extract('orders', 0)).toMatchObject({ announced: 6, rows: { length: 6 } });
    expect(source.extract('orders', 100)).toBeNull();
  });
});
