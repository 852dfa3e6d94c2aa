/** Acts on a folder that may be asked for again, always under the same keys. */
import type { FileAdapter, FileWrite } from '../../src/adapters/files/adapter.ts';
import { callOf, undoOf } from './calls.ts';

const WRITES: readonly FileWrite[] = [
  { path: 'a.txt', content: 'two' },
  { path: 'b.txt', content: 'superseded' },
  { path: 'new/c.txt', content: 'three' },
  { path: 'b.txt', content: null },
];
export const STAGED = WRITES.map((args, n) => ({ key: `k${n}`, tool: 'write', args, staged: null }));

const write = (key: string, path: string, content: FileWrite['content']) => (files: FileAdapter) =>
  files.write(callOf({ path, content }, key));
const undo = (key: string) => (files: FileAdapter) => files.inverse.undo(undoOf(key));

export const ACTS = {
  replace: write('replace', 'a.txt', 'two'),
  create: write('create', 'new/c.txt', 'three'),
  delete: write('delete', 'b.txt', null),
  undoReplace: undo('replace'),
  undoCreate: undo('create'),
  undoDelete: undo('delete'),
  async stage(files: FileAdapter) {
    for (const { args, key } of STAGED) await files.stage(callOf(args, key));
  },
  publish: (files: FileAdapter) =>
    files.buffer.publish(STAGED, { id: 'c', run: 'r', instance: 'Write::a::0', boundary: 'written' }),
  discard: (files: FileAdapter) => files.buffer.discard(STAGED),
  async undoAll(files: FileAdapter) {
    for (const { key } of STAGED.toReversed()) await undo(key)(files);
  },
};

export type Act = keyof typeof ACTS;
