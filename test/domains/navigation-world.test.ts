import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Atlas } from '../../domains/navigation/atlas.ts';
import { Chargers } from '../../domains/navigation/chargers.ts';
import { Records } from '../../domains/navigation/records.ts';
import { minutesFrom, wayFrom } from '../../domains/navigation/roads.ts';
import { Navigator } from '../../domains/navigation/vehicle.ts';
import { folder } from './running.ts';

describe('the world of the navigation', () => {
  const open = () => {
    const records = new Records(join(folder(), 'd.sqlite'), (empty) => {
      Atlas.fill(empty);
      Chargers.fill(empty);
    });
    return { records, atlas: new Atlas(records), chargers: new Chargers(records) };
  };
  const hold = { trip: 't', stop: 's', place: 'mill-inn', instead: null, turn: 0 };

  test('holds a place once for each key, and again without one; who comes with an older turn waits', () => {
    const { records, atlas } = open();
    atlas.hold(hold, null, 'k');
    atlas.hold(hold, null, 'k');
    expect(atlas.rows()).toMatchObject([{ standing: 'first' }]);
    atlas.hold(hold, null, undefined);
    expect(atlas.rows()).toMatchObject([{ standing: 'first' }, { standing: 'waiting' }]);
    records.close();
  });

  test('puts a change back once, and refuses where it was changed since; the turn has passed all the same', () => {
    const { records, atlas } = open();
    atlas.hold(hold, null, 'k');
    atlas.settle('t', 's', 'vine-cellar', null, 'l');
    expect(() => atlas.putBack('k', 'k~undo')).toThrow('changed since');
    atlas.putBack('l', 'l~undo');
    atlas.putBack('l', 'l~undo');
    expect(atlas.rows()).toMatchObject([{ place: 'mill-inn', status: 'tentative', revision: 0 }]);
    atlas.putBack('k', 'k~undo');
    expect([atlas.rows(), atlas.search('t', 's', 'food', 'mill', 15).turn]).toEqual([[], 1]);
    records.close();
  });

  test('pays the deposit back, but an open offer that was taken up is used up', () => {
    const { records, chargers } = open();
    const [open_, firm] = [chargers.offer('t', 'lake'), chargers.offer('t', 'junction')];
    expect([open_, firm]).toMatchObject([{ firm: false }, { firm: true }]);
    for (const [index, offer] of [open_, firm].entries()) {
      chargers.reserve('t', offer, `k${index}`);
      chargers.cancel(`k${index}`, `k${index}~undo`);
      chargers.cancel(`k${index}`, `k${index}~undo`);
    }
    expect(chargers.rows()).toEqual({ reservation: [], account: [], log: [] });
    expect([open_, firm].map((offer) => chargers.reserve('t', offer, undefined).standing)).toEqual([
      'waiting',
      'first',
    ]);
    expect(chargers.rows().account).toEqual([{ trip: 't', cents: 1000 }]);
    records.close();
  });

  test('has roads: the fastest way is not the shortest one, and none leads to the island', () => {
    expect(wayFrom('bridge', 'lake', 'minutes')).toEqual({
      nodes: ['bridge', 'junction', 'lake'],
      minutes: 12,
      km: 19,
    });
    expect(wayFrom('bridge', 'lake', 'km')).toEqual({ nodes: ['bridge', 'abbey', 'lake'], minutes: 23, km: 15 });
    expect(wayFrom('harbour', 'island', 'km')).toBeNull();
    expect([...minutesFrom('bridge')]).toContainEqual(['lake', 12]);
    expect(minutesFrom('bridge').has('island')).toBe(false);
  });

  test('has a navigator that tells which message arrived, and takes one of a name once', () => {
    const navigator = new Navigator(join(folder(), 'n'));
    const route = { trip: 't', vehicle: 'v', nodes: [], places: [], charger: 'c', standing: 'first' };
    navigator.send('a', route);
    navigator.send('a', route);
    navigator.send('b', route);
    expect([navigator.has('a'), navigator.has('c'), navigator.all()]).toEqual([true, false, [route, route]]);
  });
});
