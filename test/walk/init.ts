/**
 * Goes from an empty folder to the first matrix, as a new user would: packs the package, installs it, has a config written for a machine,
 * answers its TODOs, checks and reviews it, and rehearses the agent. Prints each step with its time, and ends with 1 where one fails.
 *
 *     npm run prove walk-init
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { files, read, root } from '../pages.ts';

/** A step: a command or an edit, its time, and what it printed. */
export interface Step {
  readonly step: string;
  readonly ms: number;
  readonly output: string;
}

const CONFIG = 'boundaries/order.yaml';

/** The answers to the TODOs of the config, as hunks of a diff. */
const ANSWERS = [
  ` agent: order
 tools:
   askPrice:
-    reads: [ '**' ]
-    writes: [ price ]
-    effect: irreversible
+    reads: [ 'shop:price' ]
+    writes: [ price ]
+    effect: none
+    timeout: 5s
   pay:
-    reads: [ '**' ]
-    writes: [ receipt ]
-    effect: irreversible
+    reads: [ price ]
+    writes: [ receipt, 'bank:account' ]
+    effect: irreversible
+    reconcile: { ask: findPayment, settles_within: 1m }
+    timeout: 5s
 skeletons:`,
  `+    inputs: [ 'shop:price' ]
     outputs: [ price, receipt ]`,
  `     rollback:
-      anchors: []
-      pending: [ pricing-done, paying-done ]
+      anchors: [ pricing-done, paying-done ]
       resume: pricing`,
];

/** A text once a hunk was applied. @throws where its lines do not stand there once. */
function patched(text: string, hunk: string): string {
  const lines = hunk.split('\n');
  const side = (sign: string) =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  const [from, to] = [side('-'), side('+')];
  if (text.split(from).length !== 2) throw new Error(`these lines do not stand there once:\n${from}`);
  return text.replace(from, () => to);
}

/** A config without its comments: the diffs say nothing of the questions that they answer. */
function bare(page: string): string {
  const lines = page.split('\n').map((line) => line.replace(/(^|\s+)#.*$/, ''));
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

/**
 * Goes the way.
 * @param compiles true: the package and native modules are built anew; false: those of this clone are copied.
 * @param tell receives each step as it ends.
 */
export function walkInit(compiles: boolean, tell: (step: Step) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'belay-init-'));
  const project = join(folder, 'project');
  const timed = (step: string, work: () => string): void => {
    const start = performance.now();
    const output = work();
    tell({ step, ms: performance.now() - start, output });
  };
  const run = (command: string, cwd = project, more = ''): void =>
    timed(command, () => {
      const [program = '', ...args] = `${command}${more}`.split(' ');
      const env = {
        ...process.env,
        NO_COLOR: '1',
        FORCE_COLOR: undefined,
        ...(program === 'npx' && { NODE_OPTIONS: '--import tsx' }),
      };
      return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    });
  try {
    mkdirSync(join(project, 'boundaries'), { recursive: true });
    run('npm pack', root, ` --pack-destination ${project}${compiles ? '' : ' --ignore-scripts'}`);
    run('npm init -y');
    const scripts = compiles ? '' : ' --ignore-scripts';
    run('npm install ./belay-sidecar-0.1.0.tgz xstate tsx', project, scripts);
    const native = 'node_modules/better-sqlite3/build';
    if (!compiles) cpSync(join(root, native), join(project, native), { recursive: true });
    timed('write machine.ts and agents.ts', () => {
      const texts = files(read('docs/rehearse.md'));
      for (const name of ['machine.ts', 'agents.ts']) writeFileSync(join(project, name), texts.get(name) ?? '');
      const page = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as object;
      const own = { ...page, type: 'module', belay: { machines: 'agents.ts' } };
      writeFileSync(join(project, 'package.json'), JSON.stringify(own));
      return '';
    });
    run(`npx --no belay init order --out ${CONFIG}`);
    timed(`answer the TODOs of ${CONFIG}`, () => {
      const file = join(project, CONFIG);
      writeFileSync(file, ANSWERS.reduce(patched, bare(readFileSync(file, 'utf8'))));
      return ANSWERS.join('\n');
    });
    run('npx --no belay check boundaries');
    run(`npx --no belay review ${CONFIG} --accept --by me`);
    run('npx --no belay rehearse order');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  let total = 0;
  walkInit(process.argv[2] !== 'quick', ({ step, ms, output }) => {
    total += ms;
    console.log(`$ ${step}   (${(ms / 1000).toFixed(1)} s)\n${output.trimEnd()}\n`);
  });
  console.log(`from an empty folder to the first matrix: ${(total / 1000).toFixed(0)} seconds`);
}
