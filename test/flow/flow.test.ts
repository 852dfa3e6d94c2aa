import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { type Flow, flow, type Step } from '../../src/flow/flow.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { Report } from '../../src/sidecar/report.ts';

const text = `
belay: 1
agent: parcels
tools:
  pack: { reads: [input], writes: ['steps/pack@{args.of}'], effect: none }
  send: { reads: [steps/*], writes: [steps/send], effect: none }
skeletons:
  Pack:
    entity: args.of
    states: [pack]
    entry: [pack]
    outputs: ['steps/pack@{entity}']
    exit:
      - { id: packed, at: pack, when: 'memory.steps[?("pack@" + entity)].hasValue()' }
    rollback: { anchors: [packed], resume: pack }
`;

function open<TInput>(of: Flow<TInput>, how: 'attach' | 'resume', journal: JournalStore, input: TInput) {
  const { config, findings } = loadConfig(text, { file: 'parcels.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  const decisions: string[] = [];
  const onDecision = ({ decision, error }: Report) => void decisions.push(`${decision.verdict}: ${error}`);
  return of[how]({ run: 'r', config, journal, input, onDecision }).then((run) => ({ run, decisions }));
}

async function endOf(body: (step: Step, input: string[]) => Promise<unknown>): Promise<string> {
  const { run, decisions } = await open(flow('parcels', body), 'attach', memoryStore(), ['a', 'b']);
  const { status } = await run.finished();
  return `${status} ${decisions.at(-1) ?? ''}`;
}

const pack = (step: Step, of: string) => step(`pack@${of}`, { of }, async () => `parcel of ${of}`);

test('a step is taken for each of many by what stands behind its @, and each is an instance of its own', async () => {
  const journal = memoryStore();
  const both = flow<string[]>('parcels', async (step, of) => {
    const parcels: string[] = [];
    for (const each of of) parcels.push(await pack(step, each));
    return parcels;
  });
  const { run } = await open(both, 'attach', journal, ['a', 'b']);
  expect(await run.finished()).toEqual({ status: 'done', output: ['parcel of a', 'parcel of b'] });
  const { runState } = readRun(await journal.read('r'));
  const entities = [...runState.history.registry.all()].flatMap(({ id }) =>
    id.skeleton === 'Pack' ? [id.entity] : [],
  );
  expect(entities).toEqual(['a', 'b']);
  expect(runState.actor(0).context).toMatchObject({ steps: { 'pack@a': 'parcel of a', 'pack@b': 'parcel of b' } });
});

test('a step whose name was taken before fails its run, with what to do about it', async () => {
  const end = await endOf(async (step) => [await pack(step, 'a'), await pack(step, 'a')]);
  expect(end).toMatch(/^parked .*step "pack@a" was taken before: say behind an @ what it is about/);
});

test('a step that is taken beside another one fails the run', async () => {
  const end = await endOf((step) => Promise.all([pack(step, 'a'), pack(step, 'b')]));
  expect(end).toMatch(/^parked .*step "pack@b" was taken beside another one/);
});

test('a function that does not wait for its step fails the run', async () => {
  const end = await endOf(async (step) => {
    void pack(step, 'a');
  });
  expect(end).toMatch(/^parked .*the flow came to its end beside its step "pack@a"/);
});

test('a function that returns nothing ends its run, and the run is resumed as over', async () => {
  const journal = memoryStore();
  const silent = flow<string[]>('parcels', async (step) => void (await pack(step, 'a')));
  const first = await open(silent, 'attach', journal, []);
  expect(await first.run.finished()).toEqual({ status: 'done', output: undefined });
  await first.run.close();
  const second = await open(silent, 'resume', journal, []);
  expect(await second.run.finished()).toEqual({ status: 'done', output: undefined });
});

test('a function that goes another way than its journal fails the run, which says where it was', async () => {
  const journal = memoryStore();
  const waits = flow<string[]>('parcels', (step) => step('pack@a', { of: 'a' }, () => new Promise(() => {})));
  const first = await open(waits, 'attach', journal, []);
  await first.run.durable();
  await first.run.close();
  const other = flow<string[]>('parcels', (step) => pack(step, 'b'));
  const second = await open(other, 'resume', journal, []);
  expect((await second.run.finished()).status).toBe('parked');
  expect(second.decisions.at(-1)).toMatch(/the flow came to pack@b, and its journal has it at step "pack@a"/);
});
