/** The page about verifying recorded runs, followed from top to bottom. */
import { afterAll, describe, expect, test } from 'vitest';
import { allBlocks, applied, commandsOf, compiled, installed, read } from '../pages.ts';

describe('the page about verify, from top to bottom', () => {
  const page = read('docs/verify.md');
  const { folder, write, run, remove } = installed('verify');
  const texts = new Map<string, string>();
  afterAll(remove);

  for (const block of allBlocks(page)) {
    const { language, file, content } = block;
    if (file !== null) {
      test(`has ${file} as far as it is shown`, () => {
        texts.set(file, applied(texts.get(file) ?? '', block));
        write(file, texts.get(file) as string);
      });
    }
    for (const { command, printed } of language === 'console' ? commandsOf(content) : [])
      test(command, async () => expect(await run(command)).toBe(printed));
  }

  test('compiles under strict rules', () => {
    expect(compiled(folder, ['agents.ts', 'machine.ts'])).toBe('');
  });
});
