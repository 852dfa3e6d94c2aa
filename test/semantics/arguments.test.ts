/** CS1 to CS4, each once: what refuses a call, who sees what is computed, and what is told of it. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { flow } from '../../src/flow/flow.ts';
import { loadConfig, memoryStore } from '../../src/index.ts';
import { attach, resume, tool } from '../../src/xstate/index.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, World } from './little.ts';

const TOTAL = "computed: { total: 'args.lines.map(l, l.cents).sum()' }";
const FITS = 'input: { type: object, required: [total], properties: { total: { type: integer, maximum: 100 } } }';
const UNIT = { PAY: { states: ['pay'], at: 'pay -> end', writes: ['receipt'] } };

/** A machine that pays an order once, and keeps the error of a call that it is refused. */
function paying(world: World, order: unknown) {
  return machineOf(
    { pay: world.tool('pay') },
    {
      context: { order },
      initial: 'pay',
      states: {
        pay: {
          invoke: {
            ...calls('pay', 'receipt', 'end').invoke,
            input: ({ context }: { context: { order: unknown } }) => context.order,
            onError: { target: 'end', actions: assign({ error: ({ event }: never) => event['error'] } as never) },
          },
        },
        end: { type: 'final' },
      },
    },
  );
}

/** Runs a machine to its end. @returns its world, what a person finds, and the error that it received. */
async function paid(says: string, order: unknown, more: object = {}, tools = 'reads: [], writes: [receipt]') {
  const world = new World();
  const findings: string[] = [];
  const store = memoryStore();
  const sidecar = await attach(paying(world, order), {
    ...{ run: 'r', journal: store, ...(says.includes('undo: un') && { undo: world.undo }) },
    config: configOf({ pay: `${tools}, ${says}` }, UNIT, 'budgets: { cents: 500 }'),
    onFinding: ({ code, text }: { code: string; text: string }) =>
      void (/^(bad_arguments|computed_differs)$/.test(code) && findings.push(`${code} ${text}`)),
    ...more,
  } as never);
  sidecar.actor.start();
  await sidecar.finished();
  const snapshot = sidecar.actor.getSnapshot() as unknown as {
    context: { error?: { code?: string; reason?: string } };
  };
  const entries = entriesOf(store.read('r'));
  return { world, findings, entries, error: snapshot.context.error };
}

const CLASSES = ['none', 'idempotent', 'irreversible', 'compensable, undo: un', 'irreversible, buffer: true'];

describe('CS1', () => {
  test.each(CLASSES)(
    'a call of class %s whose arguments do not fit leaves nothing, and the machine receives why',
    async (kind) => {
      const asked: string[] = [];
      const { world, findings, entries, error } = await paid(
        `effect: ${kind}, ${FITS}, spends: { cents: args.total }`,
        { total: 500 },
        { governor: ({ tool: name }: { tool: string }) => (asked.push(name), null) },
      );
      const text = 'pay: /total must be <= 100';
      expect([world.acts, asked, findings]).toEqual([[], [], [`bad_arguments ${text}`]]);
      expect([error?.code, error?.reason]).toEqual(['bad_arguments', '/total must be <= 100']);
      expect(entries.filter(({ do: kindOf }) => ['intent', 'outcome', 'spend', 'gate'].includes(kindOf))).toEqual([]);
    },
  );

  test('nobody is asked for an approval of a call whose arguments do not fit', async () => {
    const { findings, entries } = await paid(`effect: irreversible, gate: true, ${FITS}`, { total: '5' });
    expect(findings).toEqual(['bad_arguments pay: /total must be integer']);
    expect(entries.some(({ do: kind }) => kind === 'gate')).toBe(false);
  });

  test.each([
    [{ lines: [{ cents: '5' }] }, '/total cannot be computed: sum() adds numbers, and one member is a string'],
    [{ lines: 5 }, '/total cannot be computed: a number has no members'],
    [{}, '/total cannot be computed: there is no "lines"'],
    ['lines', 'the input is no map of arguments'],
    [undefined, 'the input is no map of arguments'],
    [
      { lines: [{ cents: 2 ** 53 - 1 }, { cents: 2 }] },
      '/total cannot be computed: a whole number is too large for JSON',
    ],
  ])('the arguments %j are refused where a part of them cannot be computed', async (order, reason) => {
    const { world, findings } = await paid(`effect: irreversible, ${TOTAL}`, order);
    expect([world.acts, findings]).toEqual([[], [`bad_arguments pay: ${reason}`]]);
  });

  test('a flow is refused like a machine, and its run decides', async () => {
    const text = `belay: 1\nagent: f\ntools:\n  pay: { effect: irreversible, ${FITS}, ${TOTAL} }\nskeletons: {}\n`;
    const { config } = loadConfig(text, { file: 'f.yaml' });
    const acts: unknown[] = [];
    const findings: string[] = [];
    const act = async ({ input }: { input: unknown }) => void acts.push(input);
    const told = ({ code, text: says }: { code: string; text: string }) => void findings.push(`${code} ${says}`);
    const on = { journal: memoryStore(), config, onFinding: told };
    const run = async (name: string, lines: unknown) => {
      const program = flow('f', (step) => step('pay', { lines, total: 1 }, act as never));
      const it = await program.attach({ ...on, run: name, input: null } as never);
      return (await it.finished()).status;
    };
    expect(await run('right', [{ cents: 40 }, { cents: 2 }])).toBe('done');
    expect(await run('large', [{ cents: 400 }])).toBe('parked');
    expect(acts).toEqual([{ lines: [{ cents: 40 }, { cents: 2 }], total: 42 }]);
    expect([...new Set(findings)]).toEqual([
      'computed_differs pay: total was given as 1, and is computed as 42, which counts',
      'computed_differs pay: total was given as 1, and is computed as 400, which counts',
      'bad_arguments pay: /total must be <= 100',
    ]);
  });
});

describe('CS2', () => {
  test('the step, the intent, the budget, the condition and the tool have what is computed', async () => {
    const { world, entries, findings } = await paid(
      `effect: irreversible, ${FITS}, ${TOTAL}, spends: { cents: args.total }, when: 'args.total == 42'`,
      { lines: [{ cents: 40 }, { cents: 2 }], note: 'n' },
      {},
      "reads: ['shop:{args.total}'], writes: [receipt, 'shop:{args.total}']",
    );
    const order = { lines: [{ cents: 40 }, { cents: 2 }], note: 'n', total: 42 };
    expect([world.acts.map(({ input }) => input), findings]).toEqual([[order], []]);
    const [intent] = entries.flatMap((entry) => (entry.do === 'intent' ? [entry.args] : []));
    const spent = entries.flatMap((entry) => (entry.do === 'spend' ? [entry.amounts['cents']] : []));
    const steps = entries.flatMap((entry) => (entry.do === 'step' ? [entry] : []));
    const keys = steps.flatMap(({ marks }) => marks.flatMap((mark) => ('key' in mark ? [mark.key.text] : [])));
    expect([intent, spent, steps[0]?.started[0]?.input]).toEqual([order, [42, 42], order]);
    expect([...new Set(keys.filter((key) => key.startsWith('shop:')))]).toEqual(['shop:42']);
  });
});

describe('CS3', () => {
  test('a value that is redacted is told as redacted', async () => {
    const given = { lines: [{ cents: 5 }], total: 7 };
    const { findings, world } = await paid(`effect: idempotent, ${TOTAL}, redact: [args.total]`, given);
    expect(findings).toEqual([
      'computed_differs pay: total was given as "[redacted]", and is computed as "[redacted]", which counts',
    ]);
    expect(world.acts.map(({ input }) => input)).toEqual([{ ...given, total: 5 }]);
  });

  test.each([[{ lines: [{ cents: 5 }], total: 5 }], [{ lines: [{ cents: 5 }] }]])(
    'nothing is told of %j',
    async (order) => {
      const { findings } = await paid(`effect: idempotent, ${TOTAL}`, order);
      expect(findings).toEqual([]);
    },
  );
});

describe('CS4', () => {
  test('a call under way is sent what was journaled, also under a config that computes it otherwise and takes it no more', async () => {
    const store = memoryStore();
    const sent: [string | undefined, unknown][] = [];
    let isFirst = true;
    const pay = tool(async ({ input, key }: { input: unknown; key: string | undefined }) => {
      sent.push([key, input]);
      if (isFirst) await new Promise(() => {});
      return 'paid';
    });
    const machine = machineOf(
      { pay },
      {
        context: { lines: [{ cents: 5 }] },
        initial: 'pay',
        states: { pay: calls('pay', 'receipt', 'end', ['lines']), end: { type: 'final' } },
      },
    );
    const under = (says: string) => configOf({ pay: `writes: [receipt], effect: idempotent, ${says}` }, UNIT);
    const first = await attach(machine, { run: 'r', journal: store, config: under(TOTAL) } as never);
    first.actor.start();
    await until(
      () => sent.length === 1,
      () => 'the call has not left',
    );
    first.actor.stop();
    await first.close().catch(() => null);
    isFirst = false;
    const small = 'input: { type: object, properties: { total: { type: integer, maximum: 0 } } }';
    const later = under(`${small}, computed: { total: 'size(args.lines)', count: 'size(args.lines)' }`);
    const second = await resume(machine, { run: 'r', journal: store, config: later } as never);
    second.actor.start();
    await second.finished();
    expect(second.status).toBe('done');
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(sent[0]?.[1]).toEqual({ lines: [{ cents: 5 }], total: 5 });
  });
});
