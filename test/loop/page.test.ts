/** The examples and the table of docs/loops.md: compiled, run, and counted. */
import { afterAll, describe, expect, test } from 'vitest';
import { blocks, compiled, read, tryout } from '../pages.ts';

const page = read('docs/loops.md');
const [program = '', ofAi = ''] = blocks(page, 'ts');
const [config = ''] = blocks(page, 'yaml');

interface Shown {
  readonly bought: string;
  readonly again: string;
  readonly payments: readonly string[];
  readonly refused: unknown;
  readonly asked: number;
}

describe('the examples of the page of loops', () => {
  const { folder, write, remove } = tryout('loops');
  write('shop.yaml', config);
  write('loop.ts', program);
  write('ai.ts', ofAi);
  write('here.ts', program.replace("'shop.yaml'", JSON.stringify(`${folder}/shop.yaml`)));
  afterAll(remove);

  test('compile under strict rules', () => {
    expect(compiled(folder, ['loop.ts', 'ai.ts'])).toBe('');
  });

  test('end as the page says', async () => {
    const { bought, again, payments, refused, asked } = (await import(`${folder}/here.ts`)) as Shown;
    expect([bought, again, payments, refused]).toEqual(['paid 4900', 'paid 4900', ['paid 4900'], 'said_to_person']);
    expect(asked).toBe(2);
  });
});

test('the example of the page of the OpenAI Agents SDK compiles under strict rules', () => {
  const { folder, write, remove } = tryout('openai-agents');
  write('agents.ts', blocks(read('docs/openai-agents.md'), 'ts')[0] ?? '');
  expect(compiled(folder, ['agents.ts'])).toBe('');
  remove();
});
