/**
 * Runs built commands that its parent sends, one after the other. While one runs, the channel to the parent keeps nothing alive: an
 * agent with nothing left to do is found at rest as in a process of its own.
 */
import { caught, type Given } from './caught.ts';

const { runCommand } = await import(new URL('../../dist/cli/program.js', import.meta.url).href);

process.on('disconnect', () => process.exit());
process.on('message', async (given: Given) => {
  process.channel?.unref();
  const ran = await caught(runCommand, given);
  process.channel?.ref();
  process.removeAllListeners('beforeExit');
  process.send?.(ran);
});
process.send?.('ready');
