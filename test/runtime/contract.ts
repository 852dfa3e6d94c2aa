/** The contract between a run and what executes it, as tests that every runtime passes with the same shop. */
import { afterEach, describe, expect, test } from 'vitest';
import type { StepEntry } from '../../src/model/step-entry.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import { until } from '../poll.ts';
import { type RuntimeUnderTest, Shop, type ShopStep } from './shop.ts';

const it = (step: ShopStep) => ({ skeleton: step.toUpperCase(), entity: 'it' });

/** Tests a runtime. */
export function testRuntime(runtime: RuntimeUnderTest): void {
  describe(`the runtime of ${runtime.name}`, () => {
    let shop: Shop;
    afterEach(() => shop.close());

    test('records each step, with its answer, and the work that it commits', async () => {
      shop = new Shop(runtime);
      const run = await shop.open('attach');
      expect(await run.finished()).toEqual({ status: 'done', output: 'ship 0' });
      await run.kill();
      const { runState } = readRun(await shop.rows());
      const states = runState.places.steps.all.map(({ value }) => runtime.stateOf?.(value) ?? value);
      expect(states.filter((state, nth) => state !== states[nth - 1])).toEqual([
        'begin',
        'quote',
        'reserve',
        'charge',
        'ship',
        'end',
      ]);
      expect(runState.actor(0).context).toMatchObject({
        input: 'goods',
        steps: { quote: 'quote 0', reserve: 'reserve 0', charge: 'charge 0', ship: 'ship 0' },
      });
      const boundaries = runState.places.steps.all.flatMap(
        ({ entry }) => (entry as StepEntry | null)?.boundaries ?? [],
      );
      expect(boundaries.filter((id) => id !== '')).toEqual(['quote-done', 'reserve-done', 'charge-done', 'ship-done']);
    });

    test('fails where a step fails, and takes that step again', async () => {
      shop = new Shop(runtime, {
        quote: (nth) => {
          if (nth === 0) throw new Error('not now');
          return `quote ${nth}`;
        },
      });
      const run = await shop.open('attach');
      expect(await run.finished()).toEqual({ status: 'done', output: 'ship 0' });
      expect(shop.decisions).toEqual(['restore']);
      expect(shop.acts).toEqual(['quote', 'quote', 'reserve', 'charge', 'ship']);
    });

    /** Opens a run, and waits until its shipping is under way: the first does not come back. */
    const shipping = async () => {
      shop = new Shop(runtime, { ship: (nth) => (nth === 0 ? new Promise(() => {}) : `ship ${nth}`) });
      const run = await shop.open('attach');
      await until(() => shop.count('ship') === 1);
      return run;
    };

    test('restores in place: work that is undone is taken back and done again, and work before it is not touched', async () => {
      const run = await shipping();
      await run.fail('CONTRACT_VIOLATION', { instance: it('charge'), key: 'steps/charge' });
      expect(await run.finished()).toMatchObject({ status: 'done', output: 'ship 1' });
      expect(shop.acts).toEqual(['quote', 'reserve', 'charge', 'ship', 'refund', 'charge', 'ship']);
      expect(new Set(shop.keys.filter((key) => key.startsWith('charge'))).size).toBe(2);
    });

    test('claims work that was set aside: it is not done again', async () => {
      const run = await shipping();
      await run.fail('CONTRACT_VIOLATION', { instance: it('quote'), key: 'steps/quote' });
      expect(await run.finished()).toMatchObject({ status: 'done', output: 'ship 1' });
      expect(shop.acts).toEqual(['quote', 'reserve', 'charge', 'ship', 'refund', 'quote', 'charge', 'ship']);
      await run.kill();
      const { runState } = readRun(await shop.rows());
      expect(runState.actor(0).context).toMatchObject({
        steps: { quote: 'quote 1', reserve: 'reserve 0', charge: 'charge 1' },
      });
    });

    test('goes on after a crash: what was answered is answered from the journal, and the rest is done', async () => {
      const first = await shipping();
      await first.kill();
      const second = await shop.open('resume');
      expect(await second.finished()).toEqual({ status: 'done', output: 'ship 1' });
      expect(shop.acts).toEqual(['quote', 'reserve', 'charge', 'ship', 'ship']);
    });

    test('goes on after a crash in a recovery: the next process finishes it', async () => {
      const first = await shipping();
      shop.onUndo = () => void first.kill();
      void first.fail('CONTRACT_VIOLATION', { instance: it('quote'), key: 'steps/quote' }).catch(() => {});
      await until(() => shop.acts.includes('refund'));
      await first.kill();
      const second = await shop.open('resume');
      expect(await second.finished()).toEqual({ status: 'done', output: 'ship 1' });
      expect(shop.acts.filter((act) => act !== 'refund')).toEqual([
        'quote',
        'reserve',
        'charge',
        'ship',
        'quote',
        'charge',
        'ship',
      ]);
    });

    /** A run that is parked on its charge: it failed, and its counterparty cannot be asked whether it has happened. */
    const parked = async () => {
      shop = new Shop(runtime, {
        charge: () => {
          throw new Error('the line is dead');
        },
      });
      const run = await shop.open('attach');
      const ending = await run.finished();
      expect([ending.status, run.status]).toEqual(['parked', 'parked']);
      return run;
    };

    test('parks where nobody knows what became of a call, and goes on once a person has said so', async () => {
      const run = await parked();
      await run.settle(shop.keyOf('charge'), 'confirmed', 'charge by hand');
      expect(await run.finished()).toEqual({ status: 'done', output: 'ship 0' });
      expect(shop.acts).toEqual(['quote', 'reserve', 'charge', 'ship']);
      await run.kill();
      const { runState } = readRun(await shop.rows());
      expect(runState.actor(0).context).toMatchObject({ steps: { charge: 'charge by hand' } });
    });

    test('resumes a parked run parked, and a person goes on with it there', async () => {
      const first = await parked();
      await first.close();
      await first.kill();
      const second = await shop.open('resume');
      expect((await second.finished()).status).toBe('parked');
      await second.settle(shop.keyOf('charge'), 'confirmed', 'charge by hand');
      expect(await second.finished()).toEqual({ status: 'done', output: 'ship 0' });
      expect(shop.acts).toEqual(['quote', 'reserve', 'charge', 'ship']);
    });

    test('resumes a run that is over as over, with its output, and does nothing', async () => {
      shop = new Shop(runtime);
      const first = await shop.open('attach');
      await first.finished();
      await first.close();
      await first.kill();
      const second = await shop.open('resume');
      expect(await second.finished()).toEqual({ status: 'done', output: 'ship 0' });
      expect(shop.acts).toEqual(['quote', 'reserve', 'charge', 'ship']);
    });
  });
}
