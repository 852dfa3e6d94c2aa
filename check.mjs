/** `npm run check`: the checks beside the tests, in two lanes side by side. Prints what each says and how long it took; fails if one does. */
import { spawn } from 'node:child_process';

/** What needs the built package comes after the build. */
const LANES = [
  ['types', 'lint', 'spelling', 'site'],
  ['package', 'release', 'image', 'dead', 'layers'],
];

/** Runs one check. Resolves to true if it has nothing to say against the package. */
function passes(name) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['scripts/run.mjs', 'check', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
    child.on('error', reject).on('close', (code) => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      console.log(`check:${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s`);
      if (text.trim() !== '') console.log(text.trimEnd());
      resolve(code === 0);
    });
  });
}

const results = await Promise.all(
  LANES.map(async (lane) => {
    let all = true;
    for (const name of lane) all = (await passes(name)) && all;
    return all;
  }),
);
process.exitCode = results.every(Boolean) ? 0 : 1;
