/** The range of versions of LangGraph that the package names: the tests of this folder run on the versions at both ends of it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { read } from '../pages.ts';

const require = createRequire(import.meta.url);

/** The version of LangGraph that a package name stands for. */
function versionOf(name: string): string {
  const folder = dirname(dirname(require.resolve(name)));
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

test('its ends are installed: the oldest as it is, and the newest under a name of its own', () => {
  const { peerDependencies } = JSON.parse(read('package.json')) as { peerDependencies: Record<string, string> };
  const [, from, below] = /^>=(\S+) <(\S+)$/.exec(peerDependencies['@langchain/langgraph'] ?? '') ?? [];
  expect(versionOf('@langchain/langgraph')).toBe(from);
  const [major, minor] = versionOf('langgraph-newest').split('.').map(Number);
  expect(below).toBe(`${major}.${Number(minor) + 1}`);
});

test('the tests of each project use the end that it is named after', async ({ task }) => {
  const project = task.file.projectName ?? '';
  const name = project === 'langgraph-newest' ? 'langgraph-newest' : '@langchain/langgraph';
  const own = (await import(/* @vite-ignore */ name)) as { readonly StateGraph: unknown };
  expect([project === '', own.StateGraph === StateGraph]).toEqual([false, true]);
});
