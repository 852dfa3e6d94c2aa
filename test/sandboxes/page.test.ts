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

  test('a worker has the folder of a run for it as well, and destroys it once its grace is over', async () => {
    write('editor.yaml', (files(page).get('editor.yaml') as string).replace('grace: 72h', 'grace: 1s'));
    await run('npx --no belay start two --agent editor');
    const works = 'npx --no belay work --module agents.mjs --poll 50ms --json >told & pid=$!';
    const waits = 'until grep -q swept told; do sleep 0.1; done; kill $pid; wait $pid; cat told';
    const told = (await run(`${works}; ${waits}`)).trim().split('\n');
    const lines = told.map((line) => JSON.parse(line) as { is: string; run?: string });
    expect(lines.filter(({ run: of }) => of === 'two').map(({ is }) => is)).toEqual(['taken', 'done', 'swept']);
    expect(await run('ls belay.sqlite.world/two/sandboxes')).toBe('');
    expect(await run('npx --no belay sandboxes two')).toBe('two has no sandbox\n');
    expect(await run('npx --no belay delete two --by ada')).toBe('two is deleted, by ada\n');
  });
});
