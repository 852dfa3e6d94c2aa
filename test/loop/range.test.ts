/** The ranges of versions of the SDKs that the package names: the tests of their adapters run on the versions at both ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from '../pages.ts';

function versionOf(name: string): string {
  const path = new URL(join('../../node_modules', name, 'package.json'), import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

test('their ends are installed: the newest as they are, and the oldest under names of their own', () => {
  const { peerDependencies } = JSON.parse(read('package.json')) as { peerDependencies: Record<string, string> };
  const [, from, below] = /^>=(\S+) <(\S+)$/.exec(peerDependencies['@openai/agents'] ?? '') ?? [];
  expect(versionOf('agents-oldest')).toBe(from);
  const [major, minor] = versionOf('@openai/agents').split('.').map(Number);
  expect(below).toBe(`${major}.${Number(minor) + 1}.0`);
  expect(`^${versionOf('ai-oldest')}`).toBe(peerDependencies.ai);
});

test('the tests of each project use the end that it is named after', async ({ task }) => {
  const isOldest = task.file.projectName === 'sdks-oldest';
  const [agents, ai] = isOldest ? ['agents-oldest', 'ai-oldest'] : ['@openai/agents', 'ai'];
  const own = (await import(/* @vite-ignore */ agents)) as { readonly Agent: unknown };
  const ofAi = (await import(/* @vite-ignore */ ai)) as { readonly generateText: unknown };
  const [{ Agent }, { generateText }] = await Promise.all([import('@openai/agents'), import('ai')]);
  expect([own.Agent === Agent, ofAi.generateText === generateText]).toEqual([true, true]);
});
