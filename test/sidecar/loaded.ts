/** A config from its text; what is wrong with the text is thrown. */
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/index.ts';

export function loaded(text: string): BoundaryConfig {
  const { config, findings } = loadConfig(text, { file: 'a.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return config;
}
