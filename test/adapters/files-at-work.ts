/** The files adapter on a new folder for each test, with one file in it, and what the sidecar would ask of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type FileAdapter, type FileWrite, fileAdapter } from '../../src/adapters/index.ts';
import type { Publication, StagedCall } from '../../src/effects/counterparty.ts';
import { callOf, newKey, undoOf } from './calls.ts';

export let folder: string;
export let root: string;
export let files: FileAdapter;

/** Makes a new folder before each test of a file, and removes it after. */
export function eachOnNewFiles(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-files-'));
    root = join(folder, 'root');
    mkdirSync(join(root, 'notes'), { recursive: true });
    writeFileSync(join(root, 'notes/a.txt'), 'one');
    files = fileAdapter({ root });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

export const undo = async (key: string) => files.inverse.undo(undoOf(key));
export const moved = (key: string) => files.inverse.moved(undoOf(key));
export const commit = (id: string): Publication => ({ id, run: 'r', instance: 'Write::a::0', boundary: 'written' });

export async function wrote(path: string, content: FileWrite['content']): Promise<string> {
  const key = newKey();
  await files.write(callOf({ path, content }, key));
  return key;
}

export async function staged(...writes: readonly (readonly [string, FileWrite['content']])[]): Promise<StagedCall[]> {
  const calls: StagedCall[] = [];
  for (const [path, content] of writes) {
    const key = newKey();
    const args = { path, content };
    calls.push({ key, tool: 'write', args, staged: await files.stage(callOf(args, key)) });
  }
  return calls;
}
