/** Answers of a person: which call each one opens, and which ones are refused (semantics.md R4). */
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../src/effects/gates.ts';
import { type Answer, messageOf } from '../../src/effects/messages/answers.ts';
import type { LocalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { calm, until } from '../poll.ts';
import { asked, by, gated, refusals } from './gated.ts';
import { held, Line, of } from './stations.ts';

describe('an answer that another process leaves', () => {
  const answer = ({ gate, digest, epoch }: ApprovalRequest, more: object = {}) =>
    messageOf({ gate, digest, epoch, verdict: 'approved', by: 'Ada', why: null, ...more } as Answer);

  async function waiting(journal: LocalStore) {
    const line = new Line([gated()]);
    const run = await line.begin({ journal });
    run.send('go');
    return { line, run, gate: await asked(run) };
  }

  test('opens the gate of a run that is going on', async () => {
    const journal = memoryStore();
    const { line, run, gate } = await waiting(journal);
    journal.post('r', answer(gate));
    await run.at('rest');
    expect(line.called('a')).toBe(1);
    await run.close();
  });

  test('waits for a run whose process has ended, and opens its gate once it is taken up', async () => {
    const journal = memoryStore();
    const { line, run, gate } = await waiting(journal);
    await run.close();
    journal.post('r', answer(gate));
    const next = await line.resume({ journal });
    await next.at('rest');
    expect([line.called('a'), next.sidecar.gates()]).toEqual([1, []]);
    await next.close();
  });

  test('is refused where it is forged, and the journal says why, whoever sent it', async () => {
    const journal = memoryStore();
    const { line, run, gate } = await waiting(journal);
    const forged = [
      answer(gate, { digest: 'f'.repeat(64) }),
      answer(gate, { epoch: gate.epoch + 1 }),
      answer(gate, { gate: '0123456789ab' }),
      answer(gate, { verdict: 'settled', status: 'confirmed' }),
      answer(gate, { by: '' }),
      answer(gate, { by: ' ' }),
      answer(gate, { more: true }),
      '{"gate":',
      '[]',
      'null',
      `{"gate":"${'x'.repeat(60_000)}"}`,
    ];
    for (const message of forged) journal.post('r', message);
    await until(() => refusals(journal).length === forged.length);
    expect(refusals(journal)).toEqual([
      'it is for other arguments',
      `it is for epoch ${gate.epoch} of its instance, which is at ${gate.epoch + 1}`,
      'no request asks for it',
      'it asks for an approval',
      ...forged.slice(4).map(() => 'it is no answer'),
    ]);
    expect([line.called('a'), run.sidecar.gates().length]).toEqual([0, 1]);
    await run.close();
  });

  test('is taken once: given again, it is refused, also by the next process', async () => {
    const journal = memoryStore();
    const { line, run, gate } = await waiting(journal);
    journal.post('r', answer(gate));
    journal.post('r', answer(gate));
    await run.at('rest');
    await run.close();
    const next = await line.resume({ journal });
    await calm();
    await next.sidecar.durable();
    expect(refusals(journal)).toEqual([expect.stringContaining('it was answered before')]);
    expect(line.called('a')).toBe(1);
    await next.close();
  });

  test('says what became of a call that nobody else could tell of', async () => {
    const journal = memoryStore();
    const line = new Line([{ name: 'a', tool: 'effect: irreversible' }], {
      a: () => {
        throw new Error('connection reset');
      },
    });
    const run = await line.begin({ journal });
    run.send('go');
    const gate = await asked(run);
    journal.post('r', answer(gate));
    journal.post('r', answer(gate, { verdict: 'settled', status: 'confirmed', output: 'was there' }));
    await run.at('rest');
    await run.sidecar.durable();
    expect([run.context.a, refusals(journal)]).toEqual(['was there', ['it asks for an outcome']]);
    await run.close();
  });
});

describe('an approval', () => {
  test('for one call opens no other', async () => {
    const line = new Line([gated(), { name: 'b', tool: 'effect: irreversible, gate: true' }]);
    const run = await line.begin();
    run.send('go');
    const first = await asked(run);
    await run.sidecar.answer(first.gate, 'approved', by);
    await run.at('b');
    const second = await asked(run);
    expect(second.gate).not.toBe(first.gate);
    expect(await run.sidecar.answer(first.gate, 'approved', by)).toContain('used');
    await calm();
    expect([line.called('a'), line.called('b')]).toEqual([1, 0]);
    await run.close();
  });

  test('of an old epoch opens nothing in a new one, even where the same call asks with the same arguments', async () => {
    const never = held<string | null>();
    let says: Promise<string | null> = Promise.resolve(null);
    const line = new Line([gated(', check: fresh')]);
    const run = await line.begin({ checks: { fresh: () => says } });
    run.send('go');
    const old = await asked(run);
    says = never.promise;
    await run.sidecar.answer(old.gate, 'approved', by);
    await calm();
    // The approval is there and not yet used, and the work goes back past the question.
    says = Promise.resolve(null);
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    never.resolve(null);
    const now = await asked(run);
    await calm();
    expect([now.epoch, now.key === old.key, now.digest === old.digest]).toEqual([old.epoch + 1, true, true]);
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('of nobody, of nothing, and given twice, is refused, and the journal keeps who tried', async () => {
    const line = new Line([gated()]);
    const run = await line.begin();
    run.send('go');
    const { gate } = await asked(run);
    expect(await run.sidecar.answer(gate, 'approved', { by: ' ' })).toBe('no person has given it');
    expect(await run.sidecar.answer('0123456789ab', 'approved', by)).toBe('no request asks for it');
    expect(await run.sidecar.answer(gate, 'denied', by)).toBeNull();
    expect(await run.sidecar.answer(gate, 'approved', { by: 'Eve' })).toContain('answered before');
    await calm();
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('that has run out while the world was looked at opens nothing: it is asked for again', async () => {
    let now = 1_000_000;
    const line = new Line([{ name: 'a', tool: 'effect: irreversible, gate: { expires: 1h }, check: slow' }]);
    const checks = {
      slow: () => {
        now += slow;
        return null;
      },
    };
    let slow = 0;
    const run = await line.begin({ checks, now: () => now });
    run.send('go');
    const first = await asked(run);
    slow = 4_000_000;
    await run.sidecar.answer(first.gate, 'approved', by);
    await until(() => run.sidecar.gates().some(({ gate }) => gate !== first.gate));
    expect(line.called('a')).toBe(0);
    slow = 0;
    await run.sidecar.answer((await asked(run)).gate, 'approved', by);
    await run.at('rest');
    expect(line.called('a')).toBe(1);
    await run.close();
  });
});
