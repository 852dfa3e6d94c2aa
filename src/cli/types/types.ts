/** `belay types`: the names of a config as TypeScript declarations, on standard output or in a file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readConfig } from '../../boundaries/directory.ts';
import { line } from '../check/findings.ts';
import { type ConfigNames, declarations, HEADER, namesOf, typeName } from './declarations.ts';

/** The config, and the file that is written; null for standard output. */
export interface TypesOptions {
  readonly config: string;
  readonly out: string | null;
}

/** The declarations of a config. */
export interface Typed {
  readonly agent: string;
  readonly digest: string;
  /** The beginning of the names of the types. */
  readonly name: string;
  readonly file: string | null;
  readonly names: ConfigNames;
  readonly skeletons: readonly string[];
  readonly types: string;
}

/** Writes the types of a config; a problem is something that kept them from being written. */
export function typesOf({ config: from, out }: TypesOptions): Typed | { readonly problem: string } {
  const { config, findings } = readConfig(from);
  if (config === null) {
    const error = findings.find(({ severity }) => severity === 'error');
    return { problem: error === undefined ? `${from}: cannot_read it is no config` : line(error, false) };
  }
  const types = declarations(config);
  const refused = out === null ? null : written(out, types);
  if (refused !== null) return { problem: refused };
  return {
    agent: config.agent,
    digest: config.digest,
    name: typeName(config.agent),
    file: out,
    names: namesOf(config),
    skeletons: [...config.skeletons.keys()],
    types,
  };
}

/** Writes a file, over one only if it was made here, too. @returns what kept it from being written, or null. */
function written(file: string, types: string): string | null {
  if (!/\.d\.[cm]?ts$/.test(file)) return `${file}: bad_name declarations stand in a file that ends with .d.ts`;
  try {
    const before = contentOf(file);
    if (before !== null && !before.startsWith(HEADER))
      return `${file}: exists belay types did not make it, and does not write over it`;
    writeFileSync(file, types);
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return `${file}: cannot_write ${error.message}`;
  }
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The text for the terminal: the declarations, or where they were written. */
export function typedText({ file, types, name, skeletons, names }: Typed): string {
  if (file === null) return types;
  const counted = Object.entries(names).map(([field, list]) => `${list.length} ${field}`);
  return `${file}: ${name}Attach, ${skeletons.length} skeletons, ${counted.join(', ')}\n`;
}
