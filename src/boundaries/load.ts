/** Loads a config from the content of its file. Pure; every content has an answer. */
import { CODE, kind, NAME, namedBy, optional, refuseOther, shape } from '../model/argument.ts';
import type { Guards } from '../predicates/compile.ts';
import { compileConfig } from './compile.ts';
import type { BoundaryConfig } from './config.ts';
import type { ConfigDocument } from './page/document.ts';
import { type Finding, Findings } from './page/finding.ts';
import { parseDocument } from './page/parse.ts';
import { checkSchema } from './page/schema.ts';

/** A config, or the reasons against it; and further findings about the file. */
export interface Loaded {
  /** Null where a finding is an error. */
  readonly config: BoundaryConfig | null;
  readonly findings: readonly Finding[];
  readonly document: ConfigDocument;
}

/** Options of loading: `file` is the name that findings use, `guards` are the conditions in code that it may name. */
export interface LoadOptions {
  readonly file: string;
  readonly guards?: Guards;
}

/**
 * Loads a config. A guard that is missing or differs from the reviewed one is a warning, and the predicate answers unknown; every
 * other problem of the file is an error, and none is thrown.
 * @throws ArgumentError
 * @example
 * import { loadConfig } from 'belay-sidecar';
 *
 * const { config, findings } = loadConfig('belay: 1\nagent: order\nskelletons: {}\n', { file: 'order.yaml' });
 * assert.equal(config, null);
 * assert.deepEqual(findings.at(-1)?.line, 3); // there is no field "skelletons" in the file
 */
export function loadConfig(content: string | Uint8Array, options: LoadOptions): Loaded {
  refuseOther('loadConfig', { content: [content, CONTENT], options: [options, OPTIONS] });
  const { file, guards = {} } = options;
  const findings = new Findings(file);
  const document = parseDocument(content, file, findings);
  if (document.root === null) return { config: null, findings: findings.list(), document };
  checkSchema(document.root, findings);
  const config = compileConfig(document.root, guards, findings);
  return { config: findings.refused ? null : config, findings: findings.list(), document };
}

const CONTENT = kind('the text of a config', (value) => typeof value === 'string' || value instanceof Uint8Array);
const OPTIONS = shape<LoadOptions>('an object: { file }', { file: NAME, guards: optional(namedBy(CODE)) });
