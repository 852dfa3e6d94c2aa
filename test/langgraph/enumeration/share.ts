/** Runs one share of the graphs in a process of its own: what it is to run comes as a message, and so do its progress and its result go back. */
import { type EnumerationOptions, enumerate } from './enumerate.ts';
import type { Told } from './shares.ts';

const tell = (told: Told) => new Promise<void>((resolve) => process.send?.(told, () => resolve()));

process.once('message', async (options: EnumerationOptions) => {
  const onGraph: EnumerationOptions['onGraph'] = ({ text }, counts) => void tell({ is: 'at', graph: text, ...counts });
  await tell({ is: 'done', result: await enumerate({ ...options, onGraph }) });
  process.exit(0);
});
