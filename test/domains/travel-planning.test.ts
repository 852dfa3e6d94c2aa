/** The agent that plans a trip: three cities at the same time, what fails in one of them, and what that does to the others. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import { Agency } from '../../domains/travel-planning/agency.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import type { Report } from '../../src/sidecar/report.ts';
import type { Fault } from '../../src/xstate/faults.ts';
import { type Found, folder, reviewed, runsOf } from './running.ts';

const agent = agents.travelPlanning;
const runs = runsOf(agent);

/** Runs the agent, with its decisions in short. */
async function run(...[input, failing]: Parameters<typeof runs>) {
  const seen = await runs(input, failing);
  return { ...seen, told: seen.reports.map(toldOf) };
}

/** A decision in short: the verdict and its level, whom it moves where, and what stands against it. */
function toldOf({ decision }: Report) {
  const { verdict, line } = decision;
  return {
    verdict: line === null || verdict === 'escalate' ? verdict : `${verdict} ${line.level}`,
    moves: (line?.moves ?? []).map(
      ({ instance, keep }) => `${instanceName(instance)} ${keep === 'none' ? keep : keep.kind}`,
    ),
    vetoes: [...vetoes(decision)].map((veto) => {
      return [veto.candidate?.kind, veto.code, ...('effect' in veto ? [veto.effect.tool] : [])].join(' ');
    }),
  };
}

const of = (skeleton: string, entity: string, ordinal = 0): InstanceId => ({ skeleton, entity, ordinal });
const call = (tool: string, nth: number, when: Fault['when'], signal: Fault['signal']): Fault => {
  return { tool, nth, when, signal };
};
/** Somebody finds out that one leaves the first city on another day. */
const wrongDay = (during: string, nth: number): Found => {
  return { during, nth, instance: of('FirstCity', 'lisbon'), key: 'cities/first/departs' };
};
const DEPOSIT = {
  budget: 500_000,
  cities: ['lisbon', 'madrid', 'porto'].map((name) => ({ name, nights: 2 })),
};
const OUTING = { outing: true, budget: 500_000 };

describe('the machine and its boundaries', () => {
  const { shape, size, warnings, notRecoverable } = reviewed(agent);

  test('are three regions beside each other, 6 skeletons with 11 commits and 9 exits', () => {
    expect(size).toMatchObject({ states: 47, edges: 42, skeletons: 6, commits: 11, exits: 9 });
    expect(shape.states.filter(({ type }) => type === 'parallel').map(({ path }) => path)).toEqual([
      'CITIES',
      'CITIES.third.ARRANGING',
    ]);
  });

  test('have nothing to complain of but deposits: their page does not say which of them are one act', () => {
    expect(warnings.map(({ code, message }) => `${code} ${message.split(',')[0]}`)).toEqual([
      'acts_again "CITIES.first.PAYING_DEPOSIT" can be entered twice and calls "pay_deposit"',
      'acts_again "CITIES.second.PAYING_DEPOSIT" can be entered twice and calls "pay_deposit"',
      'acts_again "CITIES.third.ARRANGING.stay.PAYING_DEPOSIT" can be entered twice and calls "pay_deposit"',
    ]);
  });

  test('have one legal edge that is no boundary: what is too dear even so was never promised', () => {
    expect(notRecoverable()).toEqual(['CHECKING_BUDGET -> CANCELLED']);
  });
});

describe('a run that never fails', () => {
  test('searches all cities at once, certifies every boundary and draws what it pays', async () => {
    const { status, calls, world, findings } = await run({});
    expect([status, findings]).toEqual(['done', []]);
    expect(calls).toHaveLength(20);
    expect(calls.slice(0, 4)).toEqual(['look_up', 'search_trips', 'search_trips', 'search_trips']);
    expect(world).toMatchObject({
      hold: { length: 6 },
      booking: { length: 9 },
      itinerary: [{ flight: 'lisbon' }, { flight: 'porto' }, { flight: 'oslo' }],
    });
    expect((world.ledger as { cents: number }[]).reduce((sum, { cents }) => sum + cents, 0)).toBe(0);
  });

  test('leaves the same rows in another world', async () => {
    expect((await run(OUTING)).world).toEqual((await run(OUTING)).world);
  });

  test('is planned once more where it is too dear, as the next occurrence of every city, and gives up what it held', async () => {
    const { status, world, findings } = await run({ budget: 200_000 });
    expect([status, findings]).toEqual(['done', []]);
    const holds = world.hold as { kind: string; status: string }[];
    const statuses = holds.filter(({ kind }) => kind === 'flight').map((hold) => hold.status);
    expect(statuses.sort()).toEqual(['booked', 'booked', 'booked', 'given up', 'given up', 'given up']);
  });

  test('is cancelled where it is too dear even so, and books nothing', async () => {
    const { value, world } = await run({ budget: 100 });
    expect([value, world.booking, world.ledger]).toEqual(['CANCELLED', [], []]);
  });

  test('is cancelled where the traveller is not known', async () => {
    const { value, calls } = await run({ traveller: 'nobody' });
    expect([value, calls]).toEqual(['CANCELLED', ['look_up']]);
  });

  test('goes on without a guide where nobody guides', async () => {
    const { status, calls, world } = await run(OUTING);
    expect([status, calls.includes('ask_guide'), calls.includes('hold_guide')]).toEqual(['done', true, false]);
    expect((world.hold as { kind: string }[]).filter(({ kind }) => kind === 'guide')).toEqual([]);
  });

  test('refuses an input that is no request, and says why', async () => {
    const open = (input: object) => agent.open({ run: 'r', folder: folder(), input });
    await expect(open({ budget: -1, where: 'x' })).rejects.toThrow(
      /no request.*additional properties.*\/budget must be/,
    );
    const cities = ['lisbon', 'lisbon', 'porto'].map((name) => ({ name, nights: 1 }));
    await expect(open({ cities })).rejects.toThrow('three different ones');
  });
});

describe('a failure in one city', () => {
  test('sends that city to its entry, and touches none that is under way beside it', async () => {
    const { told, world } = await run({}, call('search_trips', 1, 'before', 'TIMEOUT'));
    expect(told).toEqual([{ verdict: 'restore 0', moves: ['FirstCity::lisbon::0 entry'], vetoes: [] }]);
    expect(world).toEqual((await run({})).world);
  });

  test('that loses the reply of a hold is settled by asking: nobody holds a second seat', async () => {
    const { told, world } = await run({}, call('hold_flight', 1, 'after', 'TIMEOUT'));
    expect(told.map(({ verdict }) => verdict)).toEqual(['settle']);
    expect(world).toEqual((await run({})).world);
  });

  test('that loses the reply of a deposit can be settled by nobody here', async () => {
    const { status, told } = await run(DEPOSIT, call('pay_deposit', 1, 'after', 'TIMEOUT'));
    expect([status, told[0]?.verdict]).toEqual(['parked', 'escalate']);
    expect(told[0]?.vetoes).toContain('commit effect_outcome_unknown pay_deposit');
  });

  test('in the second round leaves the first round as it is', async () => {
    const { told, world } = await run({ budget: 200_000 }, call('hold_flight', 5, 'before', 'GOVERNOR_DENIED'));
    expect(told).toEqual([{ verdict: 'restore 0', moves: ['SecondCity::porto::1 commit'], vetoes: [] }]);
    expect(world).toEqual((await run({ budget: 200_000 })).world);
  });
});

describe('a day that is found wrong', () => {
  test('takes back the next city, which has read it and promised nothing yet', async () => {
    const { told, world } = await run({}, wrongDay('hold_flight', 2));
    const moves = ['FirstCity::lisbon::0 commit', 'SecondCity::porto::0 commit'];
    expect(told).toEqual([{ verdict: 'restore 1', moves, vetoes: [] }]);
    expect(world).toEqual((await run({})).world);
  });

  test('stays where the next city has paid a deposit on it', async () => {
    const { status, told } = await run(DEPOSIT, wrongDay('hold_room', 2));
    expect([status, told[0]?.verdict]).toEqual(['parked', 'escalate']);
    expect(told[0]?.vetoes).toEqual([
      'commit irreversible_effect_policy pay_deposit',
      'entry irreversible_effect_policy pay_deposit',
    ]);
  });

  test('stays where the next city has promised what it rests on', async () => {
    const { told } = await run({}, wrongDay('check_budget', 1));
    expect(told[0]?.verdict).toMatch(/^rerun/);
    expect(told[0]?.vetoes).toContain('commit committed_consumers_present');
  });
});

describe('the last city', () => {
  test('goes back to what it holds where nothing is asked beside it', async () => {
    const { told } = await run({}, call('plan_meals', 3, 'before', 'TIMEOUT'));
    const [held] = told;
    expect(held).toMatchObject({ verdict: 'restore 0', moves: ['ThirdCity::oslo::0 commit'] });
  });

  test('goes back further where a guide was asked beside it, and takes the asking with it', async () => {
    const { told, world, calls, findings } = await run(OUTING, call('plan_meals', 3, 'before', 'TIMEOUT'));
    const moves = ['ThirdCity::oslo::0 commit', 'Outing::oslo::0 none'];
    expect(told).toEqual([{ verdict: 'restore 1', moves, vetoes: [] }]);
    expect(findings[0]).toContain('held of ThirdCity::oslo::0 does not certify: separable');
    expect(calls.filter((tool) => tool === 'hold_flight')).toHaveLength(4);
    expect(world).toEqual((await run(OUTING)).world);
  });
});

describe('a failure once tickets are bought', () => {
  test('goes back to right after them, and buys none again', async () => {
    const { told, world } = await run({}, call('book_rooms', 1, 'before', 'GOVERNOR_DENIED'));
    expect(told[0]).toMatchObject({ verdict: 'restore 0', moves: ['BookTrip::trip::0 commit'] });
    expect(told[0]?.vetoes).toEqual([
      'commit irreversible_effect_policy book_flights',
      'entry irreversible_effect_policy book_flights',
    ]);
    expect(world).toEqual((await run({})).world);
  });

  test('of the tables, which nobody can be asked about, stands still', async () => {
    const { status, told } = await run({}, call('book_tables', 1, 'after', 'TIMEOUT'));
    expect([status, told[0]?.verdict]).toEqual(['parked', 'escalate']);
  });

  test('cancels the rooms that are found wrong, which costs a fee', async () => {
    const found = { during: 'book_tables', instance: of('BookTrip', 'trip'), key: 'rooms' };
    const { status, world } = await run({}, found);
    expect([status, world.fee]).toEqual(['done', [{ trip: 'autumn', why: 'rooms were cancelled', cents: 15_600 }]]);
  });
});

describe('the world', () => {
  const common = { trip: 't', city: 'porto', place: 'second', previous: 'first', day: 1, nights: 2, cents: 5 } as const;
  const stay = { ...common, hotel: 'porto-plain', instead: null };
  const seat = { ...common, flight: 'f', takes: 0, instead: null };

  test('holds a room once for each key, and again without one', () => {
    const agency = new Agency(join(folder(), 'a.sqlite'));
    expect(agency.holdRoom(stay, 'k')).toEqual(agency.holdRoom(stay, 'k'));
    expect(agency.rows().hold).toHaveLength(1);
    agency.holdRoom(stay, undefined);
    expect(agency.rows().hold).toHaveLength(2);
    agency.close();
  });

  test('lets go once, brings back what was given up, and never what is booked', () => {
    const agency = new Agency(join(folder(), 'a.sqlite'));
    const { locator } = agency.holdRoom(stay, 'k');
    agency.holdRoom({ ...stay, day: 2, instead: locator }, 'l');
    agency.release('l', 'l~undo');
    agency.release('l', 'l~undo');
    expect(agency.rows().hold).toMatchObject([{ day: 1, status: 'held' }]);
    agency.book('room', { trip: 't', items: [{ city: 'porto', locator, cents: 5 }], cents: 5 }, 'm');
    expect(() => agency.release('k', 'k~undo')).toThrow('is booked');
    agency.close();
  });

  test('shows a journey that goes on from a seat that nobody holds any more', () => {
    const agency = new Agency(join(folder(), 'a.sqlite'));
    const { locator } = agency.holdSeat({ ...seat, after: null }, 'k');
    agency.holdSeat({ ...seat, city: 'oslo', after: locator }, 'l');
    expect(agency.rows().hold).toMatchObject([
      { city: 'oslo', after: 'porto' },
      { city: 'porto', after: 'home' },
    ]);
    agency.release('k', 'k~undo');
    expect(agency.rows().hold).toMatchObject([{ city: 'oslo', after: 'nothing' }]);
    agency.close();
  });
});
