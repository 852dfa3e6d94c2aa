/** The examples of docs/flow.md, run as they stand there. */
import { afterAll, describe, expect, test } from 'vitest';
import { blocks, compiled, read, tryout } from '../pages.ts';

const page = read('docs/flow.md');
const [order = '', changed = '', desk = ''] = blocks(page, 'ts');
const [orderConfig = '', deskConfig = ''] = blocks(page, 'yaml');

describe('the examples of the page of flows', () => {
  const { folder, write, remove } = tryout('flows');
  const here = (text: string) =>
    text.replace(/config: '([a-z]+\.yaml)'/, (_, name) => `config: ${JSON.stringify(`${folder}/${name}`)}`);
  write('order.yaml', orderConfig);
  write('desk.yaml', deskConfig);
  write('order.ts', order);
  write('changed.ts', changed);
  write('desk.ts', desk);
  write('order-here.ts', here(order));
  write('desk-here.ts', here(desk));
  afterAll(remove);

  test('compile under strict rules', () => {
    expect(compiled(folder, ['order.ts', 'changed.ts', 'desk.ts'])).toBe('');
  });

  test('an order ends as the page says', async () => {
    const { ending } = (await import(`${folder}/order-here.ts`)) as { readonly ending: unknown };
    expect(ending).toEqual({ status: 'done', output: { item: 'lamp', receipt: '4900 under belay-' } });
  });

  test('a desk answers its turns as the page says', async () => {
    const { bought, again, payments, refused } = (await import(`${folder}/desk-here.ts`)) as Record<string, unknown>;
    expect([bought, again, payments]).toEqual(['paid 4900', 'paid 4900', ['paid 4900']]);
    expect(refused).toMatchObject({ is: 'refused', why: expect.stringMatching(/^irreversible_effect_policy: pay/) });
  });
});
