import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { belay } from './belay.ts';

const fixtures = fileURLToPath(new URL('../boundaries/fixtures', import.meta.url));
const SCHEDULE = readFileSync(`${fixtures}/schedule-form.yaml`, 'utf8');
const folder = scratchFolder('diff');

const put = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
/** A config with every field that a reviewer may change. */
const FULL = `belay: 1
agent: order
tries: 5
budgets: { cents: 500 }
keys: { blind: [seen] }
recover: [{ tool: ask, signals: [TIMEOUT] }]
tools:
  ask:
    reads: ['shop:**']
    writes: [price]
    effect: none
    timeout: 5s
    output: { type: number, minimum: 0 }
  pay:
    reads: [price]
    writes: [receipt, 'bank:{args.account}']
    effect: irreversible
    reconcile: { ask: findPayment, settles_within: 1m }
    gate: { expires: 2d }
    when: args.cents > 0
    check: enough
    spends: { cents: args.cents }
    retry: { max: 3, non_retryable: [CardExpired] }
    timeout: 10s
skeletons:
  Order:
    entity: '"it"'
    states: [asking, paying]
    entry: [asking]
    inputs: [wish]
    required: [wish]
    outputs: [price, receipt]
    commit:
      - { id: asked, at: asking -> paying, when: memory.price != null, outputs: [price] }
    exit:
      - { id: paid, at: paying -> paid, when: memory.receipt != null }
    rollback: { anchors: [asked, paid], resume: asking, tries: 3 }
`;

/** The changes that one edit of the config makes, as [about, old, new, leaning], and the exit code. */
async function edited(from: string, to: string, base = FULL) {
  expect(base.split(from)).toHaveLength(2);
  const [old, now] = [put('old.yaml', base), put('new.yaml', base.replace(from, to))];
  const { code, out, err } = await belay(['review', '--diff', old, now, '--json'], '', {}, folder);
  expect(err).toBe('');
  const { changes, recoverable } = JSON.parse(out) as {
    changes: { about: string; old: string | null; now: string | null; is: string }[];
    recoverable: { skeleton: string; at: string; is: string; why: string[] }[];
  };
  return { code, changes: changes.map(({ about, old, now, is }) => [about, old, now, is]), recoverable };
}

describe('belay review --diff says', () => {
  test.each([
    [
      'a class that is loosened',
      'effect: irreversible',
      'effect: idempotent',
      ['tools pay effect', 'irreversible', 'idempotent', 'looser'],
    ],
    [
      'a class that is tightened',
      'effect: none',
      'effect: compensable',
      ['tools ask effect', 'none', 'compensable', 'stricter'],
    ],
    ['a key that is read no more', "reads: ['shop:**']", 'reads: []', ['tools ask reads', 'shop:**', null, 'looser']],
    [
      'a key that is written besides',
      'writes: [price]',
      'writes: [price, log]',
      ['tools ask writes', null, 'log', 'stricter'],
    ],
    [
      'a key that others cover',
      "reads: ['shop:**']",
      "reads: ['shop:**', 'shop:price']",
      ['tools ask reads', null, 'shop:price', 'other'],
    ],
    [
      'a timeout that is longer',
      'timeout: 10s',
      'timeout: 20s',
      ['tools pay timeout', '10000 ms', '20000 ms', 'looser'],
    ],
    ['a timeout that is gone', '    timeout: 10s\n', '', ['tools pay timeout', '10000 ms', null, 'looser']],
    ['another reconciler', 'findPayment', 'guess', ['tools pay reconcile', 'findPayment', 'guess', 'other']],
    [
      'a reconciler that may be asked at once',
      ', settles_within: 1m',
      ', tries: 6',
      ['tools pay reconcile settles_within', '60000 ms', null, 'looser'],
    ],
    [
      'a reconciler that is gone',
      '    reconcile: { ask: findPayment, settles_within: 1m }\n',
      '',
      ['tools pay reconcile', 'findPayment', null, 'stricter'],
    ],
    ['an undo', 'check: enough', 'check: enough\n    undo: payBack', ['tools pay undo', null, 'payBack', 'looser']],
    [
      'an approval that is needed no more',
      '    gate: { expires: 2d }\n',
      '',
      ['tools pay gate', 'each call', null, 'looser'],
    ],
    [
      'an approval for some calls only',
      'gate: { expires: 2d }',
      "gate: { expires: 2d, when: 'args.cents > 9' }",
      ['tools pay gate when', null, 'args.cents > 9', 'looser'],
    ],
    [
      'an approval that expires sooner',
      'expires: 2d',
      'expires: 1d',
      ['tools pay gate expires', '172800000 ms', '86400000 ms', 'stricter'],
    ],
    [
      'a condition of a call that is gone',
      '    when: args.cents > 0\n',
      '',
      ['tools pay when', 'args.cents > 0', null, 'looser'],
    ],
    ['a check that is gone', '    check: enough\n', '', ['tools pay check', 'enough', null, 'looser']],
    [
      'a spend that is gone',
      '    spends: { cents: args.cents }\n',
      '',
      ['tools pay spends cents', 'args.cents', null, 'looser'],
    ],
    ['a budget that is larger', 'cents: 500', 'cents: 600', ['budgets cents', '500', '600', 'looser']],
    ['retries that are fewer', 'max: 3', 'max: 2', ['tools pay retry max', '3', '2', 'stricter']],
    [
      'an error that is not tried again',
      '[CardExpired]',
      '[CardExpired, Closed]',
      ['tools pay retry non_retryable', null, 'Closed', 'stricter'],
    ],
    [
      'an output schema that is gone',
      '    output: { type: number, minimum: 0 }\n',
      '',
      ['tools ask output', '{"minimum":0,"type":"number"}', null, 'looser'],
    ],
    ['a blind key', 'blind: [seen]', 'blind: [seen, progress]', ['keys blind', null, 'progress', 'looser']],
    [
      'errors that the machine keeps',
      '[TIMEOUT]',
      '[TIMEOUT, TOOL_EXCEPTION]',
      ['recover', null, 'ask TOOL_EXCEPTION', 'other'],
    ],
    ['fewer recoveries of the run', 'tries: 5', 'tries: 4', ['tries', '5', '4', 'stricter']],
    ['an entity for each', `'"it"'`, 'args.order', ['skeletons Order entity', '"it"', 'args.order', 'stricter']],
    ['another entity', `'"it"'`, `'"all"'`, ['skeletons Order entity', '"it"', '"all"', 'other']],
    [
      'an input that is needed no more',
      'required: [wish]',
      'required: []',
      ['skeletons Order required', 'wish', null, 'looser'],
    ],
    [
      'a condition that became always true',
      'when: memory.receipt != null',
      "when: 'true'",
      ['skeletons Order paid when', 'memory.receipt != null', 'true', 'looser'],
    ],
    [
      'another condition',
      'when: memory.receipt != null',
      "when: memory.receipt != ''",
      ['skeletons Order paid when', 'memory.receipt != null', "memory.receipt != ''", 'other'],
    ],
    [
      'a joint skeleton',
      'resume: asking',
      'resume: asking, joint: [Order]',
      ['skeletons Order rollback joint', null, 'Order', 'looser'],
    ],
    [
      'exits that are restored',
      'resume: asking',
      'resume: asking, exits: restorable',
      ['skeletons Order rollback exits', 'refused', 'restorable', 'looser'],
    ],
    [
      'undone compensable effects',
      'resume: asking',
      'resume: asking, compensable: undo',
      ['skeletons Order rollback compensable', 'block', 'undo', 'looser'],
    ],
  ])('%s', async (_what, from, to, change) => {
    const { code, changes } = await edited(from, to);
    expect([code, changes]).toEqual([1, [change]]);
  });

  test('a tool that is not listed any more', async () => {
    const ask = FULL.slice(FULL.indexOf('  ask:'), FULL.indexOf('  pay:'));
    const base = FULL.replace('recover: [{ tool: ask, signals: [TIMEOUT] }]\n', '');
    expect((await edited(ask, '', base)).changes).toEqual([['tools ask', 'listed, none', null, 'stricter']]);
  });

  test('nothing of comments, layout, order and what is so anyway, and ends with 0', async () => {
    const { code, changes, recoverable } = await edited(
      'tries: 5\nbudgets',
      '# a comment\ntries: 5\nredact: []\nbudgets',
    );
    expect([code, changes, recoverable]).toEqual([0, [], []]);
    expect((await edited('rollback: { anchors: [asked, paid]', 'rollback: { anchors: [paid, asked]')).code).toBe(0);
  });

  test('a boundary that is recoverable no more, and why', async () => {
    const { changes, recoverable } = await edited('anchors: [asked, paid]', 'anchors: [asked]');
    expect(changes).toEqual([['skeletons Order rollback anchors', 'paid', null, 'stricter']]);
    const why = ['rollback.anchors does not list it, so it is not Controllable'];
    expect(recoverable).toEqual([{ skeleton: 'Order', at: 'paid', is: 'not recoverable', why }]);
  });

  test('a boundary that certifies because a tool now writes its output', async () => {
    const base = FULL.replace('writes: [price]', 'writes: []');
    const { recoverable } = await edited('writes: []', 'writes: [price]', base);
    expect(recoverable).toEqual([
      { skeleton: 'Order', at: 'asked', is: 'recoverable', why: [] },
      { skeleton: 'Order', at: 'paid', is: 'recoverable', why: [] },
    ]);
  });

  test('with a machine, the edges that became recoverable or stopped being so', async () => {
    const [old, now] = [
      put('old.yaml', SCHEDULE),
      put('new.yaml', SCHEDULE.replace('anchors: [submitted]', 'anchors: []')),
    ];
    const { code, out } = await belay(['review', '--diff', old, now, '--machines', `${fixtures}/machines.mjs`]);
    expect(code).toBe(1);
    expect(out).toContain('Stricter:\n');
    expect(out).toMatch(/\n {2}Submit submitted is recoverable no more: /);
    expect(out).toMatch(/\n {2}Submit SUBMITTING -> DONE \(.*\) is recoverable no more: submitted: rollback\.anchors/);
    const back = await belay(['review', '--diff', now, old, '--machines', `${fixtures}/machines.mjs`]);
    expect(back.out).toMatch(/\n {2}Submit SUBMITTING -> DONE \(.*\) became recoverable\n/);
    expect(back.out).not.toContain('No machine was given');
  });

  test('each change with its line, looser ones first', async () => {
    const now = FULL.replace('effect: irreversible', 'effect: idempotent').replace('timeout: 5s', 'timeout: 4s');
    const { out } = await belay(['review', '--diff', put('old.yaml', FULL), put('new.yaml', now)], '', {}, folder);
    const line = (text: string) => now.slice(0, now.indexOf(text)).split('\n').length;
    expect(out).toBe(`${folder}/old.yaml -> ${folder}/new.yaml: order, 1 looser, 1 stricter, 0 other

Looser:
  ${folder}/new.yaml:${line('effect: idempotent')}:13 tools pay effect: irreversible => idempotent
    Work may go back past a call, and the call be made again, without asking a person.

Stricter:
  ${folder}/new.yaml:${line('timeout: 4s')}:14 tools ask timeout: 5000 ms => 4000 ms
    A call is given up sooner, and its outcome asked for.

No machine was given: what can be restored is told of boundaries, not of edges (--machines FILE).
`);
  });
});

describe('belay review --diff ends with 2 and one line', () => {
  test.each([
    ['one config', ['--diff', 'old.yaml'], '--diff needs two configs: belay review --diff OLD NEW\n'],
    ['two configs without --diff', ['old.yaml', 'new.yaml'], 'two configs need --diff: belay review --diff OLD NEW\n'],
    [
      '--accept',
      ['--diff', 'a', 'b', '--accept', '--by', 'Ada'],
      '--diff compares and --accept vouches: take one of the two\n',
    ],
  ])('for %s', async (_what, args, complaint) => {
    expect(await belay(['review', ...args], '', {}, folder)).toEqual({ code: 2, out: '', err: complaint });
  });

  test('for a config that has errors, or is not there', async () => {
    const args = [
      'review',
      '--diff',
      put('old.yaml', FULL),
      put('new.yaml', FULL.replace('effect: none', 'effect: non')),
    ];
    const { code, out, err } = await belay(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^.*new\.yaml:11:13 not_one_of "non" is not known as "effect"\. .*\n$/);
    expect((await belay(['review', '--diff', join(folder, 'none.yaml'), put('old.yaml', FULL)])).err).toMatch(
      /none\.yaml:1:1 cannot_read ENOENT.*\n$/,
    );
  });
});

describe('belay review --diff tells to which side lean', () => {
  const many = FULL.replace(`'"it"'`, 'args.order');

  test.each([
    [
      'entities that are merged',
      'entity: args.order',
      `entity: '"it"'`,
      ['skeletons Order entity', 'args.order', '"it"'],
    ],
    [
      'a state more',
      'states: [asking, paying]',
      'states: [asking, paying, late]',
      ['skeletons Order states', null, 'late'],
    ],
    ['an entry more', 'entry: [asking]', 'entry: [asking, paying]', ['skeletons Order entry', null, 'paying']],
  ])('%s: looser, and stricter the other way', async (_what, from, to, change) => {
    const [about, old, now] = change;
    expect((await edited(from, to, many)).changes).toEqual([[about, old, now, 'looser']]);
    expect((await edited(to, from, many.replace(from, to))).changes).toEqual([[about, now, old, 'stricter']]);
  });

  test('a whole skeleton', async () => {
    const late = `  Late: { entity: '"it"', states: [late], entry: [late], outputs: [], rollback: { anchors: [] } }\n`;
    const [old, now] = [put('less.yaml', FULL), put('more.yaml', FULL + late)];
    const leans = async (...files: string[]) => {
      const { out } = await belay(['review', '--diff', ...files, '--json'], '', {}, folder);
      return JSON.parse(out).changes.map(({ is }: { is: string }) => is);
    };
    expect([await leans(old, now), await leans(now, old)]).toEqual([['looser'], ['stricter']]);
  });

  test('with --fail-on looser ends with 1 for looser changes alone', async () => {
    const [old, now] = [put('short.yaml', FULL), put('long.yaml', FULL.replace('timeout: 10s', 'timeout: 20s'))];
    const code = async (...args: string[]) => (await belay(['review', '--diff', ...args], '', {}, folder)).code;
    expect(await code(old, now, '--fail-on', 'looser')).toBe(1);
    expect(await code(now, old, '--fail-on', 'looser')).toBe(0);
    expect(await code(now, old)).toBe(1);
    expect((await belay(['review', old, '--fail-on', 'looser'], '', {}, folder)).code).toBe(2);
  });
});

describe('belay review --diff --format', () => {
  const gate = 'gate: { expires: 2d }\n    when';
  const given = async (...args: readonly string[]) => {
    const now = FULL.replace(gate, 'when').replace('anchors: [asked, paid]', 'anchors: [asked]');
    return belay(['review', '--diff', put('old.yaml', FULL), put('new.yaml', now), ...args], '', {}, folder);
  };

  test('sarif has a result for each change, an error where the command is to fail on it', async () => {
    const { code, out } = await given('--format', 'sarif', '--fail-on', 'looser');
    const { results } = JSON.parse(out).runs[0];
    expect(code).toBe(1);
    const said = results.map(
      ({ ruleId, level, message }: { ruleId: string; level: string; message: { text: string } }) => [
        ruleId,
        level,
        message.text.split(': ')[0],
      ],
    );
    expect(said).toEqual([
      ['looser', 'error', 'tools pay gate'],
      ['stricter', 'note', 'skeletons Order rollback anchors'],
      ['stricter', 'note', 'Order paid'],
    ]);
    expect(results[0].message.text).toContain('A call leaves without asking a person.');
  });

  test('junit fails a test for each change that the command is to fail on', async () => {
    const { out } = await given('--format', 'junit', '--fail-on', 'looser');
    expect(out).toContain('tests="3" failures="1"');
    expect(out).toContain('name="looser tools pay gate"><failure type="looser"');
  });

  test('markdown is a table, looser changes first, in which nothing of a page is markup', async () => {
    const { out } = await given('--format', 'markdown');
    const rows = out.split('\n').filter((line) => line.startsWith('| '));
    expect(rows).toEqual([
      '| side | what | change and consequence |',
      '| --- | --- | --- |',
      '| looser | tools pay gate | each call =\\> nothing. A call leaves without asking a person. |',
      expect.stringMatching(
        /^\| stricter \| skeletons Order rollback anchors \| paid =\\> nothing\. A run is never restored/,
      ),
      expect.stringMatching(/^\| stricter \| Order paid \| not recoverable: /),
    ]);
  });

  test('nothing changed is said in each of them, and a format needs --diff', async () => {
    const [old, now] = [put('old.yaml', FULL), put('new.yaml', FULL)];
    for (const format of ['junit', 'markdown']) {
      const { code, out } = await belay(['review', '--diff', old, now, '--format', format], '', {}, folder);
      expect([code, out]).toEqual([0, expect.stringContaining('nothing changed in meaning')]);
    }
    expect((await belay(['review', old, '--format', 'junit'], '', {}, folder)).code).toBe(2);
  });
});
