/** docs/sandboxes.md, followed from top to bottom: its files are written, its commands run, and what they print is what it shows. */
import { afterAll, describe, expect, test } from 'vitest';
import { allBlocks, commandsOf, files, installed, read } from '../pages.ts';

const page = read('docs/sandboxes.md');

/** Without what is another each time: the day and the time, and the folder. */
function undated(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d(?:T[\d:]+Z)?/g, 'TODAY').replace(/\/\S*(?=\/belay\.sqlite)/g, 'HERE');
}

describe('the page of sandboxes, from top to bottom', () => {
  const { write, run, remove } = installed('boxes');
  afterAll(remove);
  for (const [name, text] of files(page)) write(name, text);

  test('has a config that holds against its machine', async () => {
    expect(await run('npx --no belay check editor.yaml --machines agents.mjs')).toContain('0 errors, 0 warnings');
  });

  for (const { language, content } of allBlocks(page))
    for (const { command, printed } of language === 'console' ? commandsOf(content) : [])
      test(command, async () => {
        expect(undated(await run(command)).trim()).toBe(undated(printed).trim());
      });

  test('its run is not deleted while its sandbox is there', async () => {
    expect(await run('npx --no belay delete editor-1 --by ada')).toBe(
      'editor-1 stays: its sandbox box is not destroyed yet: see belay sandboxes\n',
    );
  });
});
