/** The page about rehearsals, followed from top to bottom: what its commands print is what it shows. */
import { afterAll, describe, expect, test } from 'vitest';
import { allBlocks, applied, commandsOf, compiled, installed, read } from '../pages.ts';

const page = read('docs/rehearse.md');

describe('the page about rehearsals', () => {
  const { folder, write, run, remove } = installed('rehearse');
  afterAll(remove);

  test('prints what it shows', async () => {
    const texts = new Map<string, string>();
    let commands = 0;
    for (const block of allBlocks(page)) {
      if (block.file !== null) {
        texts.set(block.file, applied(texts.get(block.file) ?? '', block));
        write(block.file, texts.get(block.file) as string);
      }
      if (block.language !== 'console') continue;
      for (const { command, printed } of commandsOf(block.content)) {
        expect(await run(command)).toBe(printed);
        commands += 1;
      }
    }
    expect(commands).toBe(3);
    expect(compiled(folder, ['agents.ts', 'rehearse.ts', 'order.test.ts'])).toBe('');
    expect(await run('node --test order.test.ts')).toMatch(/^. pass 1\n. fail 0$/m);
  });

  test('lists every code with which a rehearsal is refused, and no other', () => {
    const listed = [...page.slice(page.indexOf('## 4.'), page.indexOf('## 5.')).matchAll(/^\| `(\w+)`/gm)];
    const declared = [...read('src/rehearsal/rehearsal-error.ts').matchAll(/\| '(\w+)'/g)];
    expect(listed.map(([, code]) => code).toSorted()).toEqual(declared.map(([, code]) => code).toSorted());
  });

  test('names what the testing kit exports', async () => {
    const kit = Object.keys(await import('../../src/testing/index.ts'));
    for (const name of [
      'rehearse',
      'recordingWorld',
      'assertActedOnce',
      'assertNeverActed',
      'withFault',
      'DrivenClock',
    ]) {
      expect(kit).toContain(name);
      expect(page).toContain(name);
    }
  });
});
