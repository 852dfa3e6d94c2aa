/** The inspector tells what the tools of a run work in. */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderSandboxes } from '../../src/adapters/sandboxes/folder.ts';
import type { WireRun } from '../../src/inspector/page-data.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { pathOf, Served } from '../inspector/serving.ts';
import { until } from '../poll.ts';
import { sharedFolder } from '../scratch.ts';
import { stopped, working } from '../workers/small.ts';
import { writer } from './writer.ts';

afterEach(stopped);

test('the page of a run has its sandboxes, and where they are', async () => {
  const store = memoryStore();
  const root = join(sharedFolder('box-inspected'), 'boxes');
  const { told, client } = working(store, [writer({ folder: folderSandboxes(root) })]);
  await client.start({ run: 'one', agent: 'writer' });
  await until(() => told.includes('one waits'));
  const served = await Served.over(store);
  const { body } = await served.ask<WireRun>(pathOf('one'));
  expect(body.sandboxes).toMatchObject([{ name: 'box', is: 'stopped', provider: 'folder' }]);
  expect(body.sandboxes[0]?.handle).toMatch(`folder ${root}`);
  await served.close();
});
