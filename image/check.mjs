/** `npm run check image`: builds the image and asks its command for the version. Says so, and passes, where no builder answers. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const builder = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);

if (builder === undefined)
  console.warn('NO IMAGE: neither docker nor podman answers, so image/Dockerfile is not built.');
else {
  const run = (...args) =>
    spawnSync(builder, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const built = run('build', '--quiet', '--file', 'image/Dockerfile', '--tag', 'belay', '.');
  const { stdout = '' } = built.status === 0 ? run('run', '--rm', 'belay', '--version') : {};
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (stdout.trim() !== version) {
    console.error(`the image says ${JSON.stringify(stdout.trim())} of its version, and is of ${version}`);
    process.exitCode = 1;
  } else console.log(`the image runs belay ${version}`);
}
