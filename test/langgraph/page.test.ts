/** The example of docs/langgraph.md, compiled and run as it stands there. */
import { afterAll, describe, expect, test } from 'vitest';
import { blocks, compiled, read, tryout } from '../pages.ts';

const page = read('docs/langgraph.md');
const [program = ''] = blocks(page, 'ts');
const [config = ''] = blocks(page, 'yaml');

interface Shown {
  readonly asked: readonly { readonly value: unknown }[];
  readonly ending: object;
  readonly seats: readonly string[];
  readonly twice: unknown;
}

describe('the example of the page of graphs', () => {
  const { folder, write, remove } = tryout('langgraph');
  write('trip.yaml', config);
  write('trip.ts', program);
  write('here.ts', program.replace("'trip.yaml'", JSON.stringify(`${folder}/trip.yaml`)));
  afterAll(remove);

  test('compiles under strict rules', () => {
    expect(compiled(folder, ['trip.ts'])).toBe('');
  });

  test('ends as the page says: one seat, one payment, and the second answer refused', async () => {
    const { asked, ending, seats, twice } = (await import(`${folder}/here.ts`)) as Shown;
    expect(asked.map(({ value }) => value)).toEqual(['Pay for the seat to Rome?']);
    expect(ending).toMatchObject({
      booking: 'seat to Rome',
      receipt: 'paid 400',
      prices: { Rome: 400, Vienna: 600, 'Oslo-Nord': 900 },
      log: ['Rome', 'Vienna', 'Oslo-Nord', 'booked'],
    });
    expect(seats).toEqual(['seat to Rome', 'paid 400']);
    expect(twice).toBe('no_question');
  });
});
