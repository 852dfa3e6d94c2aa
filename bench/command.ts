/** The start of the command: `belay --version` and `--help` beside `node -e 0`, one after the other, so that a busy machine slows all three. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const ROUNDS = 21;
const STARTS = { 'node -e 0': ['-e', '0'], 'belay --version': [MAIN, '--version'], 'belay --help': [MAIN, '--help'] };

const took = new Map(Object.keys(STARTS).map((name) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, args] of Object.entries(STARTS)) {
    const from = performance.now();
    execFileSync(process.execPath, args, { stdio: 'ignore' });
    took.get(name)?.push(performance.now() - from);
  }
const median = (name: string) => (took.get(name) ?? []).toSorted((a, b) => a - b)[(ROUNDS - 1) / 2] as number;
const bare = median('node -e 0');
for (const name of Object.keys(STARTS)) {
  const ratio = median(name) / bare;
  const goal = name === 'node -e 0' ? '' : `, goal 1.5: ${ratio <= 1.5 ? 'met' : 'missed'}`;
  console.log(
    `${name.padEnd(16)} ${median(name).toFixed(0).padStart(5)} ms   ${ratio.toFixed(2)} times node -e 0${goal}`,
  );
}
