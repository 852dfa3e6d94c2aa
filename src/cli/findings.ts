/** Findings for readers: lines for a person, JSON for a program, SARIF for a code host and JUnit for a build server. */
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import pc from 'picocolors';
import type { Finding } from '../boundaries/finding.ts';
import type { Checked, CheckedFile } from './check.ts';
import { printable } from './terminal.ts';

/** The formats of `belay check --format`. */
export const FORMATS = ['text', 'json', 'sarif', 'junit'] as const;

/** One of them. */
export type Format = (typeof FORMATS)[number];

/** Lays out what was found. */
export function present(
  checked: Checked,
  format: Format,
  { colours, version }: { colours: boolean; version: string },
): string {
  switch (format) {
    case 'text':
      return text(checked, colours);
    case 'json':
      return `${JSON.stringify(checked, null, 2)}\n`;
    case 'sarif':
      return `${JSON.stringify(sarif(checked, version), null, 2)}\n`;
    case 'junit':
      return junit(checked);
  }
}

/** A finding as one line: the place, the code, the sentence and its mend. Nothing in it is obeyed by a terminal. */
export function line(finding: Finding, colours: boolean): string {
  const { red, yellow, cyan, bold } = pc.createColors(colours);
  const paint = { error: red, warning: yellow, note: cyan }[finding.severity];
  const code = finding.severity === 'error' ? paint(finding.code) : `${paint(finding.severity)} ${finding.code}`;
  return `${bold(`${printable(finding.file)}:${finding.line}:${finding.column}`)} ${code} ${sentence(finding)}`;
}

function sentence({ message, mend }: Finding): string {
  return printable(`${message}${/[.?!]$/.test(message) ? '' : '.'} ${mend}`);
}

function text({ files, errors, warnings, notes }: Checked, colours: boolean): string {
  const blocks = files.map(({ file, agent, findings }) => {
    if (findings.length > 0) return findings.map((finding) => `${line(finding, colours)}\n`).join('');
    return `${printable(file)}: ${printable(agent ?? '')} is in order\n`;
  });
  const counts = [count(errors, 'error'), count(warnings, 'warning'), count(notes, 'note')].join(', ');
  return `${blocks.join('\n')}\n${count(files.length, 'config')}: ${counts}\n`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function sarif({ files }: Checked, version: string): object {
  const findings = files.flatMap((file) => file.findings);
  const rules = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'belay', semanticVersion: version, rules: rules.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: rules.indexOf(finding.code),
          level: finding.severity,
          message: { text: sentence(finding) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(finding.file) },
                region: { startLine: finding.line, startColumn: finding.column },
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

/** A file is a suite; what is wrong with it fails, what is only to be known is told in a test that passes. */
function junit({ files, errors }: Checked): string {
  const suites = files.map(suite).join('');
  const tests = files.reduce((sum, { findings }) => sum + Math.max(findings.length, 1), 0);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="belay check" tests="${tests}" failures="${errors}">\n${suites}</testsuites>\n`;
}

function suite({ file, findings }: CheckedFile): string {
  const failures = findings.filter(({ severity }) => severity === 'error').length;
  const name = xml(file);
  const cases = findings.map((finding) => {
    const head = `    <testcase classname="${name}" name="${finding.code} ${finding.line}:${finding.column}">`;
    const words = xml(sentence(finding));
    if (finding.severity !== 'error')
      return `${head}<system-out>${finding.severity}: ${words}</system-out></testcase>\n`;
    const place = `${name}:${finding.line}:${finding.column}`;
    return `${head}<failure type="${finding.code}" message="${words}">${place}</failure></testcase>\n`;
  });
  if (cases.length === 0) cases.push(`    <testcase classname="${name}" name="is in order"/>\n`);
  return `  <testsuite name="${name}" tests="${cases.length}" failures="${failures}">\n${cases.join('')}  </testsuite>\n`;
}

function xml(value: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return printable(value.toWellFormed())
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] as string);
}
