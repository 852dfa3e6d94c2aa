/** The example of docs/flow.md, run as it stands there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from '../pages.ts';

const block = (language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(read('docs/flow.md'))?.[1] ?? '';

test('the example of the page of flows ends as the page says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-flow-'));
  try {
    const config = join(folder, 'order.yaml');
    writeFileSync(config, block('yaml'));
    writeFileSync(join(folder, 'order.ts'), block('ts').replace("'order.yaml'", JSON.stringify(config)));
    const { ending } = (await import(join(folder, 'order.ts'))) as { ending: unknown };
    expect(ending).toEqual({ status: 'done', output: { item: 'lamp', receipt: '4900 under belay-' } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
