/** Results for a code host: SARIF 2.1.0, each result on a line of a file. */
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Place } from '../../boundaries/page/finding.ts';

/** One result. */
export interface SarifResult {
  /** The id of its rule. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly text: string;
  readonly place: Place & { readonly file: string };
}

/** Formats results as one log. */
export function sarifLog(results: readonly SarifResult[], version: string): object {
  const rules = [...new Set(results.map(({ rule }) => rule))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'belay', semanticVersion: version, rules: rules.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: results.map(({ rule, level, text, place }) => ({
          ruleId: rule,
          ruleIndex: rules.indexOf(rule),
          level,
          message: { text },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(place.file) },
                region: { startLine: place.line, startColumn: place.column },
              },
            },
          ],
        })),
      },
    ],
  };
}

function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split(sep).map(encodeURIComponent).join('/');
}
