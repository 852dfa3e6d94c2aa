/** Scripts as one plain file each: a process that runs one starts in a fraction of the time that the sources take to load. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** For packages that are CommonJS: those ask for modules of the platform with a function that a module does not have. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`;

let made = 0;

/** Bundled scripts. They lie inside the repository, so that their packages are found. */
export class Bundle {
  readonly #folder = join(ROOT, 'reports', `bundle-${process.pid}-${made++}`);

  /** @param scripts their paths from the root of the repository, each with a name of its own. */
  constructor(scripts: readonly string[]) {
    mkdirSync(this.#folder, { recursive: true });
    // The sources look for it one folder above the file that they are in.
    copyFileSync(join(ROOT, 'src/boundaries/boundary.schema.json'), join(this.#folder, 'boundary.schema.json'));
    const check = join(ROOT, 'dist/boundaries/boundary.check.cjs');
    if (existsSync(check)) copyFileSync(check, join(this.#folder, 'boundary.check.cjs'));
    buildSync({
      entryPoints: scripts.map((script) => ({ in: join(ROOT, script), out: basename(script, '.ts') })),
      outdir: join(this.#folder, 'scripts'),
      bundle: true,
      minifyWhitespace: true,
      minifySyntax: true,
      external: ['better-sqlite3', 'ajv'],
      banner: { js: REQUIRE },
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
  }

  /** Where a script lies. @param name the name of its source, without the folder. */
  path(name: string): string {
    return join(this.#folder, 'scripts', `${basename(name, '.ts')}.js`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
