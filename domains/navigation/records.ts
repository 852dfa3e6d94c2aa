/** The database of a world, of which the places and the chargers each keep their tables; and who has come to look when. */
import { Keyed } from '../keyed.ts';

const TABLES = `
  CREATE TABLE turn (party TEXT PRIMARY KEY, number INTEGER NOT NULL);
`;

/** The database. */
export class Records extends Keyed {
  /** Opens a file; an empty one is filled by the owner of its tables. */
  constructor(file: string, fill: (empty: Keyed) => void) {
    super(file, (empty) => {
      empty.execute(TABLES);
      fill(empty);
    });
  }

  /** The number of times that a party has come. */
  turn(party: string): number {
    return this.all<{ number: number }>('SELECT number FROM turn WHERE party = ?', party)[0]?.number ?? 0;
  }

  /** A party comes with what it was told at some turn: first in line where that is the present one. It stays told when it leaves. */
  come(party: string, told: number): 'first' | 'waiting' {
    const standing = told === this.turn(party) ? 'first' : 'waiting';
    this.run('INSERT INTO turn VALUES (?, 1) ON CONFLICT DO UPDATE SET number = number + 1', party);
    return standing;
  }
}
