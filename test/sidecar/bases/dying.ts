/** A process that takes steps until it is killed: it says how many of them are durable. */
import { writeSync } from 'node:fs';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { opened, steps } from './agent.ts';

const [path = '', mode = 'attach'] = process.argv.slice(2);
const sidecar = await opened(sqliteStore(path), mode === 'attach' ? 'attach' : 'resume', 20);
for (let from = 0; ; from += 5) {
  steps(sidecar, from, 5);
  await sidecar.durable();
  writeSync(1, `${from + 5}\n`);
}
