/** What the terminal says of runs that stand still for eleven causes: the cause is named, and each command that is printed sets the run going, or says why not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { widest } from '../agents.ts';
import { CAUSES, Standing } from './causes.ts';

/** A command that goes on behind another one says what it waits for. */
const WAITS = /until a person answers|is paused by "ada"/;

describe.each(CAUSES)('$name', (cause) => {
  const standing = new Standing(cause);
  let text = '';
  beforeAll(async () => {
    text = await standing.made();
  });
  afterAll(() => standing.desk.clear());

  test('is named, with the commands, within 80 columns', () => {
    const said = text.replace(/\s+/g, ' ');
    for (const name of cause.names) expect(said).toContain(name);
    const told = text.split('\n').filter((line) => !line.startsWith('  belay '));
    expect(widest(told.join('\n'))).toBeLessThanOrEqual(80);
    expect(standing.commands(text)).not.toEqual([]);
  });

  test('is ended by what is printed: each command sets the run going, or says what it waits for', async () => {
    for (const words of standing.commands(text)) {
      const { code, said, rows } = await standing.typed(words);
      expect([words, code]).toEqual([words, expect.toSatisfy((is) => is === 0 || is === 1)]);
      expect([words, rows > 0 || WAITS.test(said), said]).toEqual([words, true, said]);
    }
  });
});
