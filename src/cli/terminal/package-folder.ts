/** The folder of this package, wherever in it the code of the command lies: a build moves modules between files. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The folder that has package.json. */
export const PACKAGE_FOLDER: string = dirname(createRequire(import.meta.url).resolve('belay-sidecar/package.json'));
