/** `npm run check site`: builds the site and tries it. Says so, and passes, where VitePress is not installed and cannot be. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.mjs';

const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;

const installed = existsSync(join(root, 'site/node_modules/vitepress'));
if (!installed && run('npm', ['ci', '--prefix', 'site', '--no-audit', '--no-fund', '--silent']) !== 0) {
  console.warn('NO SITE: npm ci of site/ failed, so the site is neither built nor tried.');
} else {
  // The report of `npm test` stays as it is: only the default reporter.
  const tried = ['vitest', 'run', 'test/site/built.test.ts', '--reporter=default'];
  process.exitCode = run('node', ['site/build.mjs']) || run('npx', tried, { BELAY_SITE: '1' });
}
