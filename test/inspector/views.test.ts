/** What the server tells the page of runs: data as text, acts as they stand, decisions and what they would be. */
import { describe, expect, test } from 'vitest';
import type { WireContext, WireDiagram, WireTimeline } from '../../src/inspector/course-data.ts';
import type { WireAnswer, WireDecision, WireRun, WireRuns, WireTick } from '../../src/inspector/page-data.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { attach } from '../../src/xstate/index.ts';
import { agentOf } from '../alternatives/agent.ts';
import { Life } from '../forking/trial.ts';
import { World } from '../forking/world.ts';
import { until } from '../poll.ts';
import { asked } from '../sidecar/gated.ts';
import { Line } from '../sidecar/stations.ts';
import { Parked } from '../workers/parked.ts';
import { parked, pathOf, Served, UNKNOWN } from './serving.ts';

/** A run whose error, input and answers are what an attacker would send. */
const SCRIPT = '<script>alert(1)</script>\u202e\u0007\u2028"&';

const TOOLS = '  look: { reads: [], writes: [], effect: none }';

describe('a run that is parked over a step that threw', () => {
  test('offers to have it tried again, whether a process has it or not', async () => {
    const store = memoryStore();
    const begun = await new Parked(store).opened();
    await begun.finished();
    const served = await Served.over(store);
    const offer = { id: 'retry', kind: 'answer', command: 'belay retry r --by NAME', disabled: null };
    const { body: held } = await served.ask<WireRun>(pathOf('r'));
    expect(held.acts).toMatchObject([{ ...offer, does: expect.stringContaining('within a second') }]);
    await begun.close();
    const { body: free } = await served.ask<WireRun>(pathOf('r'));
    expect(free.acts).toMatchObject([offer, { id: 'resume', kind: 'code' }]);
    await served.ask(`${pathOf('r')}/act`, { act: 'retry', by: 'Bob', why: 'put right' });
    expect(served.retried).toEqual([{ run: 'r', by: 'Bob', why: 'put right' }]);
    await served.close();
  });
});

describe('a run that asks for a branch', () => {
  test('shows the branches, and offers to choose each of them, or none', async () => {
    const store = memoryStore();
    const { machine, config } = agentOf({ branches: { rome: [], oslo: [] }, tools: TOOLS, choose: 'rule: gate' });
    const sidecar = await attach(machine, { run: 'r', config, journal: store, keepAlive: false } as never);
    sidecar.actor.start();
    await until(() => sidecar.requests().length > 0);
    await sidecar.durable();
    const served = await Served.over(store);
    const { body } = await served.ask<WireRun>(pathOf('r'));
    expect(body.cause).toMatchObject({ label: 'APPROVAL', text: expect.stringContaining('Trip') });
    expect(body.gates).toMatchObject([{ asks: 'Which branch of Trip is chosen?', tool: 'Trip' }]);
    const gate = body.gates[0]?.gate;
    expect(body.acts).toMatchObject([
      { title: 'Choose rome of Trip', first: false, command: `belay approve ${gate} --with rome --by NAME` },
      { title: 'Choose oslo of Trip', command: `belay approve ${gate} --with oslo --by NAME` },
      { title: 'Choose no branch of Trip', command: `belay deny ${gate} --by NAME` },
    ]);
    await served.ask(`${pathOf('r')}/act`, { act: body.acts[1]?.id, by: 'Bob' });
    expect(served.given).toMatchObject([{ gate, saying: { verdict: 'approved', with: 'oslo' }, by: 'Bob' }]);
    await served.close();
    await sidecar.close();
  });
});

describe('an attempt that waits for the choice', () => {
  test('is offered to be kept', async () => {
    const [world, store] = [new World(), memoryStore()];
    const life = (run: string) => new Life(run, world, store, { classes: ['none', 'none', 'none'], says: 'approved' });
    const parent = life('parent');
    await parent.open('attach');
    await parent.move({ is: 'go' });
    await workClient(store).forkAttempts('parent', { as: 'r', attempts: 2, by: 'ann' });
    const attempt = life('r-1');
    await attempt.open('resume');
    for (let moves = 0; moves < 3; moves += 1) await attempt.move({ is: 'go' });
    const served = await Served.over(store);
    const { body } = await served.ask<WireRun>(pathOf('r-1'));
    const offer = { id: 'keep', kind: 'answer', command: 'belay keep r-1 --by NAME', disabled: null };
    expect(body.acts).toMatchObject([offer]);
    await served.ask(`${pathOf('r-1')}/act`, { act: 'keep', by: 'Bob', why: 'the shortest' });
    expect(served.kept).toEqual([{ run: 'r-1', by: 'Bob', why: 'the shortest' }]);
    await served.close();
    await Promise.all([parent.end(), attempt.end()]);
  });
});

describe('a paused run', () => {
  test('says by whom and why, and offers to have it go on', async () => {
    const store = memoryStore();
    const begun = await new Line(UNKNOWN).begin({ journal: store });
    await begun.sidecar.pause({ by: 'ann', why: 'the price is odd' });
    await begun.close();
    const served = await Served.over(store);
    const { body } = await served.ask<WireRuns>('/api/runs');
    expect(body.runs[0]).toMatchObject({ waitsFor: 'a person who says unpause', state: { text: 'paused by ann' } });
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    expect(run.cause).toMatchObject({ label: 'PAUSED', text: expect.stringContaining('"ann" has paused it') });
    expect(run.acts).toMatchObject([
      { id: 'unpause', kind: 'answer', command: 'belay unpause r --by NAME' },
      { id: 'resume', kind: 'code' },
    ]);
    const nameless = await served.ask(`${pathOf('r')}/act`, { act: 'unpause', by: '' });
    expect([nameless.status, served.paused]).toEqual([400, []]);
    await served.ask(`${pathOf('r')}/act`, { act: 'unpause', by: 'Bob', why: 'looked at it' });
    expect(served.paused).toEqual([{ run: 'r', pause: false, by: 'Bob', why: 'looked at it' }]);
    await served.close();
  });
});

describe('a run that waits for an approval', () => {
  test.each([
    ['for an hour', 'gate: { expires: 1h }', 4_600_000],
    ['for ever', 'gate: true', null],
  ])('is listed with the time at which the request expires: %s', async (_, gate, expires) => {
    const store = memoryStore();
    const line = new Line([{ name: 'a', tool: `effect: irreversible, ${gate}` }]);
    const begun = await line.begin({ journal: store, now: () => 1_000_000 });
    begun.send('go');
    await asked(begun);
    const served = await Served.over(store);
    const { body } = await served.ask<WireRuns>('/api/runs');
    expect(body.runs).toMatchObject([{ waitsFor: 'approval of a', expires }]);
    await Promise.all([begun.close(), served.close()]);
  });
});

describe('a parked run', () => {
  test('is listed first, with what it waits for', async () => {
    const served = await Served.over(await parked());
    const { body } = await served.ask<WireRuns>('/api/runs');
    expect(body.runs).toMatchObject([{ run: 'r', agent: 'line', waitsFor: 'what became of a' }]);
    expect(body.runs[0]?.state).toEqual({ is: 'parked', text: 'parked (escalate)', needs: true });
    await served.close();
  });

  test('says its cause, and offers both answers without choosing one', async () => {
    const served = await Served.over(await parked());
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    expect(run.cause).toMatchObject({
      label: 'TOOL_EXCEPTION',
      text: 'a failed in the state a (work of A::it::0): "connection reset"',
      why: [{ label: 'effect_outcome_unknown' }],
      decision: 1,
    });
    const titles = run.acts.map(({ title, first, disabled }) => [title, first, disabled === null]);
    expect(titles.slice(0, 2)).toEqual([
      ['Settle a: it happened', false, true],
      ['Settle a: it did not happen', false, true],
    ]);
    const code = run.acts.filter(({ kind }) => kind === 'code');
    expect(code.map(({ id }) => id)).toEqual(['resume', 'reconcile']);
    for (const { disabled, command } of code) {
      expect(disabled).toContain('--machines');
      expect(command).toMatch(/^belay (resume|reconcile) r$/);
    }
    await served.close();
  });

  test('hands an answer on as it was given, and nothing else', async () => {
    const served = await Served.over(await parked());
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    const act = run.acts[0]?.id ?? '';
    const [{ gate = '' } = {}] = run.gates;
    const answered = await served.ask(`${pathOf('r')}/act`, { act, by: 'Ada', why: 'asked them', output: '"yes"' });
    expect(answered).toEqual({ status: 200, body: { ok: true, text: 'left' } });
    const saying = { verdict: 'settled', status: 'confirmed', output: '"yes"' };
    expect(served.given).toEqual([{ gate, saying, by: 'Ada', why: 'asked them' }]);
    await served.close();
  });

  test.each([
    ['without a name', { by: '' }, 400],
    ['under a name of blanks', { by: '  ' }, 400],
    ['under a name that is too long', { by: 'a'.repeat(201) }, 400],
    ['with a reason that is too long', { by: 'ada', why: 'a'.repeat(2_001) }, 400],
  ])('takes no answer %s', async (_what, body, status) => {
    const served = await Served.over(await parked());
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    const answered = await served.ask(`${pathOf('r')}/act`, { act: run.acts[0]?.id, ...body });
    expect([answered.status, served.given]).toEqual([status, []]);
    await served.close();
  });

  test('does what needs code only where a module was named, by the words of the verb', async () => {
    const without = await Served.over(await parked());
    expect((await without.ask(`${pathOf('r')}/act`, { act: 'resume' })).status).toBe(409);
    await without.close();
    const served = await Served.over(await parked(), { executes: true });
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    expect(run.acts.every(({ disabled }) => disabled === null)).toBe(true);
    expect(await served.ask(`${pathOf('r')}/act`, { act: 'resume' })).toMatchObject({ body: { ok: true } });
    expect(served.ran).toEqual([['resume', 'r']]);
    await served.close();
  });

  test('started to read only, it names the commands and does nothing', async () => {
    const served = await Served.over(await parked(), { executes: true, readOnly: true });
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    expect(run.acts.length).toBeGreaterThan(2);
    for (const { id, disabled, command } of run.acts) {
      expect([disabled?.includes('--read-only'), command.startsWith('belay ')]).toEqual([true, true]);
      const refused = await served.ask(`${pathOf('r')}/act`, { act: id, by: 'ada', output: '"yes"' });
      expect(refused).toMatchObject({ status: 403, body: { code: 'read_only' } });
    }
    expect([served.given, served.ran, served.settled, served.cancelled, served.paused]).toEqual([[], [], [], [], []]);
    // A question that changes nothing is answered.
    const { status } = await served.ask(`${pathOf('r')}/what-if/1`, { suppose: {} });
    expect(status).not.toBe(403);
    await served.close();
  });

  test('tells pages that listen when it moves', async () => {
    const journal = await parked();
    const served = await Served.over(journal);
    const response = await fetch(`http://${served.host}/api/events`, {
      headers: { Authorization: `Bearer ${served.token}` },
    });
    const lines = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => JSON.parse((await lines?.read())?.value ?? 'null') as WireTick;
    const [head] = Object.values((await next()).heads);
    const writer = await journal.open('r', 'resume');
    await writer.close();
    const other = await journal.open('another', 'create');
    expect(head).toBeGreaterThan(10);
    let seen = 0;
    while (seen < 2) seen = Math.max(seen, Object.keys((await next()).heads).length);
    expect(seen).toBe(2);
    await lines?.cancel();
    await other.close();
    await served.close();
  });
});

describe('data of a run', () => {
  test('is text whose every character can be seen', async () => {
    const served = await Served.over(await parked(SCRIPT));
    for (const path of ['', '/decision/1', '/timeline', '/context/3', '/diagram']) {
      const { body } = await served.ask(`${pathOf('r')}${path}`);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
      expect(JSON.stringify(body)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    }
    const { body: run } = await served.ask<WireRun>(pathOf('r'));
    expect(run.decisions[0]?.error).toBe('<script>alert(1)</script>⟦U+202E⟧⟦U+0007⟧⟦U+2028⟧"&');
    await served.close();
  });

  test('is never markup for a browser, whatever it sniffs', async () => {
    const served = await Served.over(await parked(SCRIPT));
    const response = await fetch(`http://${served.host}${pathOf('r')}`, {
      headers: { Authorization: `Bearer ${served.token}` },
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    await served.close();
  });
});

describe('a decision', () => {
  test('has every refusal with its witness, and the line drawn', async () => {
    const served = await Served.over(await parked());
    const { body: decision } = await served.ask<WireDecision>(`${pathOf('r')}/decision/1`);
    const [refusal] = decision.refusals;
    expect(refusal?.checkpoint).toMatch(/^Its entry at row \d+, \d{4}-/);
    const [reason] = refusal?.reasons ?? [];
    expect(reason?.code).toBe('effect_outcome_unknown');
    const witness = Object.fromEntries(reason?.witness.map(({ what, value }) => [what, value]) ?? []);
    expect(witness).toMatchObject({ call: 'a of A::it::0', 'class and status': 'irreversible, unknown' });
    expect(witness['what it said']).toContain('connection reset');
    expect(decision.graph.nodes).toMatchObject([{ name: 'A::it::0', part: 'failed' }]);
    await served.close();
  });

  test('is asked again under suppositions, and nothing is changed by it', async () => {
    const journal = await parked();
    const served = await Served.over(journal);
    const { body: decision } = await served.ask<WireDecision>(`${pathOf('r')}/decision/1`);
    expect(decision.fixed).toBeNull();
    const toggle = (text: string) => decision.toggles.find((each) => each.text.endsWith(text))?.id ?? '';
    const [{ head = 0 } = {}] = await journal.runs();
    const suppose = async (...ids: string[]) =>
      (await served.ask<WireAnswer>(`${pathOf('r')}/what-if/1`, { suppose: ids })).body;
    expect(await suppose(toggle('had happened'))).toMatchObject({ verdict: 'settle' });
    expect(await suppose(toggle('had not happened'))).toMatchObject({ verdict: 'settle' });
    const undone = await suppose(toggle('undone in the world'));
    expect(undone).toMatchObject({ verdict: 'restore', level: 0, refusals: [] });
    expect(undone.graph.nodes).toMatchObject([
      { part: 'failed', note: expect.stringMatching(/goes back to its entry/) },
    ]);
    expect(await suppose()).toMatchObject({ verdict: decision.verdict });
    expect((await journal.runs())[0]?.head).toBe(head);
    await served.close();
  });

  test('that crossed nothing can be supposed to cross a commitment', async () => {
    const line = new Line(
      [
        { name: 'a', tool: 'effect: none' },
        { name: 'b', reads: ['a'], tool: 'effect: none' },
      ],
      {},
    );
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    await run.at('rest');
    run.sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'it' }, key: 'a' });
    await run.finished();
    await run.close();
    const served = await Served.over(journal);
    const { body: decision } = await served.ask<WireDecision>(`${pathOf('r')}/decision/1`);
    expect(decision.refusals.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toContain(
      'committed_consumers_present',
    );
    const [toggle] = decision.toggles;
    expect(toggle?.text).toBe('the policy let a line cross what B has committed');
    const { body: answer } = await served.ask<WireAnswer>(`${pathOf('r')}/what-if/1`, { suppose: [toggle?.id] });
    expect(answer).toMatchObject({ verdict: 'restore_joint', level: 2 });
    expect(answer.graph.edges).toMatchObject([{ label: 'a', carries: true }]);
    await served.close();
  });

  test.each([
    ['that there is not', '/decision/7', undefined, 404],
    ['without a number', '/decision', undefined, 404],
    ['under suppositions that are no list', '/what-if/1', { suppose: 'all' }, 400],
  ])('%s is refused', async (_what, path, body, status) => {
    const served = await Served.over(await parked());
    expect((await served.ask(`${pathOf('r')}${path}`, body)).status).toBe(status);
    await served.close();
  });
});

describe('the way of a run', () => {
  test('is told in lanes, with its failure and its question', async () => {
    const served = await Served.over(await parked());
    const { body } = await served.ask<WireTimeline>(`${pathOf('r')}/timeline`);
    const told = body.marks.map(([, , lane, kind, text]) => [body.kinds[kind], body.lanes[lane], body.texts[text]]);
    expect(told).toContainEqual(['call', 'machine: a', 'calls a (irreversible)']);
    expect(told).toContainEqual(['failure', 'machine: a', 'TOOL_EXCEPTION: connection reset; decided: escalate']);
    expect(told).toContainEqual(['person', 'machine: a', 'a person is asked: outcome of a']);
    await served.close();
  });

  test('is drawn as far as it was travelled, and no further', async () => {
    const served = await Served.over(await parked());
    const { body } = await served.ask<WireDiagram>(`${pathOf('r')}/diagram`);
    const [{ nodes, edges } = { nodes: [], edges: [] }] = body.machines;
    expect(nodes.map(({ name, active }) => [name, active])).toEqual([
      ['(start)', false],
      ['idle', false],
      ['a', true],
    ]);
    expect(edges.map(({ label, last }) => [label, last])).toEqual([
      ['start', false],
      ['go', true],
    ]);
    await served.close();
  });

  test('has the context after every row, and what the row changed', async () => {
    const line = new Line([UNKNOWN[1] as (typeof UNKNOWN)[number]], { b: () => 'an answer' });
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.close();
    const served = await Served.over(journal);
    const { body } = await served.ask<WireTimeline>(`${pathOf('r')}/timeline`);
    const last = body.marks.findLast(([, , , kind]) => body.kinds[kind] === 'step')?.[0];
    const { body: at } = await served.ask<WireContext>(`${pathOf('r')}/context/${last}`);
    expect(at).toMatchObject({ actor: 'machine', state: 'rest' });
    expect(at.changes).toEqual([{ op: 'new', path: 'b', before: '', after: '"an answer"' }]);
    expect(at.context.join('')).toContain('"b": "an answer"');
    expect((await served.ask(`${pathOf('r')}/context/99999`)).status).toBe(404);
    await served.close();
  });
});
