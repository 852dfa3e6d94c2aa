/** RV1 to RV6: what was seen is looked at again right before the act that rests on it. */
import { describe, expect, test } from 'vitest';
import { DrivenClock } from '../../src/testing/index.ts';
import { judge } from '../revalidate/judge.ts';
import { deaths, type Scenario, scenarios } from '../revalidate/scenario.ts';
import { play } from '../revalidate/trial.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';

const MINUTE = 60_000;
/** The kind of row that an intent is. */
const INTENT = 4;

/** look; wait a minute; pay; mail the receipt a minute later. Each look answers with the next price. */
function shop(look = '30s', pay = '') {
  const world = new World();
  const prices: number[] = [];
  const sees = world.tool('look', () => ({ cents: prices.length > 1 ? prices.shift() : (prices[0] ?? 100) }));
  const machine = machineOf(
    { look: sees, pay: world.tool('pay'), mail: world.tool('mail') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'offer', 'wait'),
        wait: { after: { [MINUTE]: 'pay' } },
        pay: calls('pay', 'paid', 'later', ['offer']),
        later: { after: { [MINUTE]: 'mail' } },
        mail: calls('mail', 'mailed', 'end', ['paid']),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: `writes: [offer], effect: none, revalidate: ${look}`,
      pay: `reads: [offer], writes: [paid], effect: irreversible${pay}`,
      mail: 'reads: [paid], writes: [mailed], effect: irreversible',
    },
    {
      LOOK: { states: ['look'], at: 'look -> wait', writes: ['offer'], rollback: 'tries: 2' },
      PAY: { states: ['pay'], at: 'pay -> later', reads: ['offer'], writes: ['paid'] },
      MAIL: { states: ['mail'], at: 'mail -> end', reads: ['paid'], writes: ['mailed'] },
    },
  );
  const paid = () => world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input);
  /** Runs it to its end, or to where it is parked. */
  const ended = () =>
    new DrivenClock().during(async () => {
      const it = await run(machine, config);
      const { status } = await it.ending();
      const is = { status, codes: it.reports.length === 0 ? [] : it.codes(), looks: world.count('look'), paid: paid() };
      await it.sidecar.close();
      return is;
    });
  return { world, prices, machine, config, ended };
}

const PAID = [{ offer: { cents: 100 } }];

describe('RV2: an answer that is too old is looked at again right before the act', () => {
  test('the act leaves where the answer is the same', async () => {
    expect(await shop().ended()).toEqual({ status: 'done', codes: [], looks: 2, paid: PAID });
  });

  test('no look is made while the answer is good', async () => {
    expect(await shop('2m').ended()).toEqual({ status: 'done', codes: [], looks: 1, paid: PAID });
  });

  test('an act that a pause holds behind its intent is looked at anew: the price that has moved meanwhile is paid', async () => {
    const { world, prices, machine, config } = shop();
    prices.push(100, 100, 130);
    const store = new MortalStore([]);
    let pauses = 1;
    const status = await new DrivenClock().during(async () => {
      const it = await run(machine, config, { journal: await store.next('r') } as never);
      store.onRows = (rows) => {
        if (pauses === 0 || !rows.some(({ kind }) => kind === INTENT)) return;
        pauses -= 1;
        void it.sidecar.pause({ by: 'ann' });
      };
      while (pauses > 0) await new Promise((resolve) => setTimeout(resolve, 1_000));
      await new Promise((resolve) => setTimeout(resolve, 10 * MINUTE));
      await it.sidecar.unpause({ by: 'ann' });
      const ending = await it.ending();
      await it.sidecar.close();
      return ending.status;
    });
    const paid = world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input);
    expect([status, paid]).toEqual(['done', [{ offer: { cents: 130 } }]]);
  });

  test('0s looks before each act', async () => {
    expect(await shop('0s').ended()).toMatchObject({ status: 'done', looks: 2 });
  });

  test('an act that stands has used up what it was decided on: the mail leaves though the price has moved', async () => {
    const { prices, ended } = shop();
    prices.push(100, 100, 500);
    expect(await ended()).toEqual({ status: 'done', codes: [], looks: 2, paid: PAID });
  });

  test('a condition on the age is asked of the answers that the call leaves on', async () => {
    expect(await shop('2m', ", when: 'verified.age < 90000'").ended()).toMatchObject({ status: 'done', looks: 1 });
    expect(await shop('2m', ", when: 'verified.age < 30000'").ended()).toMatchObject({ status: 'parked', paid: [] });
    expect(await shop('30s', ", when: 'verified.age < 30000'").ended()).toMatchObject({ status: 'done', looks: 2 });
  });
});

describe('RV3: what has changed is found wrong before the act', () => {
  test('it is decided anew, and the act leaves once, on the new price', async () => {
    const { prices, ended } = shop();
    prices.push(100, 120);
    expect(await ended()).toMatchObject({ status: 'done', looks: 4, paid: [{ offer: { cents: 120 } }] });
  });

  test('a change that counts as none lets it leave on the answer of then', async () => {
    const { prices, ended } = shop("{ for: 30s, same: 'now.cents <= then.cents' }");
    prices.push(100, 80);
    expect(await ended()).toEqual({ status: 'done', codes: [], looks: 2, paid: PAID });
  });

  test('a person is asked where the config says so', async () => {
    const { prices, ended } = shop('{ for: 30s, else: park }');
    prices.push(100, 120);
    expect(await ended()).toEqual({ status: 'parked', codes: ['read_moved'], looks: 2, paid: [] });
  });
});

test('RV5: a price that never stands still parks the run', async () => {
  const { prices, ended } = shop();
  prices.push(...Array.from({ length: 20 }, (_, nth) => 100 + nth));
  const { status, codes, paid } = await ended();
  expect([status, codes, paid]).toEqual(['parked', expect.arrayContaining(['never_still']), []]);
});

/** Every nth scenario, and its deaths at each append where `dies`. */
async function wrongIn(every: number, holds: (scenario: Scenario) => boolean, dies = false): Promise<string[]> {
  const wrong: string[] = [];
  for (const [nth, scenario] of scenarios().filter(holds).entries()) {
    if (nth % every !== 0) continue;
    const course = await play(scenario);
    const all = dies ? [scenario, ...deaths(scenario, course.appends)] : [scenario];
    for (const each of all) {
      const why = judge(each, each === scenario ? course : await play(each));
      if (why !== null) wrong.push(`${why}: ${JSON.stringify(each)}`);
    }
  }
  return wrong;
}

test('RV1: the age of an answer survives the death of a process at each append', async () => {
  const holds = ({ shape, class: kind, good, moves, happens }: Scenario) =>
    shape === 'plain' && kind === 'irreversible' && good === 30 && happens.is === 'nothing' && moves.length < 2;
  expect(await wrongIn(1, holds, true)).toEqual([]);
});

test('RV2: small programs with a pause, a complaint, a revision, a lost reply or a look that fails', async () => {
  expect(await wrongIn(17, ({ shape }) => shape === 'plain' || shape === 'chosen' || shape === 'asked')).toEqual([]);
});

test('RV4: an approved call is looked at after its approval, a held one when its commit is decided', async () => {
  expect(await wrongIn(11, ({ shape }) => shape === 'gated' || shape === 'held')).toEqual([]);
});

/** page; click: the first click comes back as said. */
function browser(first: 'lost' | 'lost before' | 'answers', always = false) {
  const world = new World();
  let hash = 'before';
  const click = world.tool('click', ({ nth }) => {
    const has = nth > 0 || first === 'lost';
    if (has) hash = 'after';
    if (nth === 0 && first !== 'answers') throw new Error('socket hang up');
    return 'clicked';
  });
  const machine = machineOf(
    { page: world.tool('page', () => ({ hash })), click },
    {
      initial: 'page',
      states: {
        page: calls('page', 'view', 'click'),
        click: { ...calls('click', 'clicked', 'end', ['view']) },
        end: { type: 'final' },
      },
    },
  );
  const see = `reconcile: { see: page, applied: 'now.hash != then.hash'${always ? ', always: true' : ''} }`;
  const config = configOf(
    {
      page: 'writes: [view], effect: none, revalidate: 0s',
      click: `reads: [view], writes: [clicked], effect: irreversible, ${see}`,
    },
    {
      PAGE: { states: ['page'], at: 'page -> click', writes: ['view'] },
      CLICK: { states: ['click'], at: 'click -> end', reads: ['view'], writes: ['clicked'] },
    },
  );
  return {
    world,
    ended: async () => {
      const it = await run(machine, config);
      const { status } = await it.ending();
      await it.sidecar.close();
      return [status, world.count('click'), hash];
    },
  };
}

describe('RV6: a look settles what no party can be asked about', () => {
  test('a click whose reply is lost is seen, and not made again', async () => {
    expect(await browser('lost').ended()).toEqual(['done', 1, 'after']);
  });

  test('a click that did not come through is made again', async () => {
    expect(await browser('lost before').ended()).toEqual(['done', 2, 'after']);
  });

  test('with `always`, a click that came back without an effect did not happen', async () => {
    expect(await browser('answers', true).ended()).toEqual(['done', 2, 'after']);
    expect(await browser('answers').ended()).toEqual(['done', 1, 'before']);
  });
});
