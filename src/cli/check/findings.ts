/** Findings for readers: lines for a person, JSON for a program, SARIF for a code host and JUnit for a build server. */
import pc from 'picocolors';
import type { Finding } from '../../boundaries/page/finding.ts';
import type { ToolPanel } from '../../boundaries/tool-panel.ts';
import { type JunitCase, type JunitSuite, junitXml } from '../formats/junit.ts';
import { type SarifResult, sarifLog } from '../formats/sarif.ts';
import { printable } from '../terminal/printable.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import type { Checked, CheckedFile } from './check.ts';

/** The formats of `belay check --format`. */
export const FORMATS = ['text', 'json', 'sarif', 'junit'] as const;

/** One of them. */
export type Format = (typeof FORMATS)[number];

/** Formats the findings. */
export function present(
  checked: Checked,
  format: Format,
  { version, ...medium }: Medium & { readonly version: string },
): string {
  switch (format) {
    case 'text':
      return text(checked, medium);
    case 'json':
      return `${JSON.stringify(checked, null, 2)}\n`;
    case 'sarif':
      return `${JSON.stringify(sarif(checked, version), null, 2)}\n`;
    case 'junit':
      return junit(checked);
  }
}

/** A finding as one line: the place, the code, the sentence and its fix, made harmless for a terminal. */
export function line(finding: Finding, colours: boolean): string {
  const { red, yellow, cyan, bold } = pc.createColors(colours);
  const paint = { error: red, warning: yellow, note: cyan }[finding.severity];
  const code = finding.severity === 'error' ? paint(finding.code) : `${paint(finding.severity)} ${finding.code}`;
  return `${bold(`${printable(finding.file)}:${finding.line}:${finding.column}`)} ${code} ${sentence(finding)}`;
}

function sentence({ message, mend }: Finding): string {
  return printable(`${message}${/[.?!]$/.test(message) ? '' : '.'} ${mend}`);
}

function text({ files, errors, warnings, notes }: Checked, medium: Medium): string {
  const blocks = files.map(({ file, agent, findings, tools = [] }) => {
    const panels = tools.map((panel) => panelText(panel, medium)).join('');
    if (findings.length > 0)
      return `${panels}${findings.map((finding) => `${line(finding, medium.colours)}\n`).join('')}`;
    return `${panels}${printable(file)}: ${printable(agent ?? '')} is in order\n`;
  });
  const counts = [count(errors, 'error'), count(warnings, 'warning'), count(notes, 'note')].join(', ');
  return `${blocks.join('\n')}\n${count(files.length, 'config')}: ${counts}\n`;
}

/** What becomes of the calls of a tool, a line for each case. */
function panelText({ tool, effect, replay, lost, wrong, abort }: ToolPanel, medium: Medium): string {
  const cases = [
    ['replayed', replay],
    ['reply lost', lost],
    ['found wrong behind it', wrong],
    ['aborted', abort],
  ] as const;
  const under = cases.map(([label, words]) => ({ label, text: words }));
  return layOut(null, { label: tool ?? 'a tool that is not declared', text: effect, under }, medium);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function sarif({ files }: Checked, version: string): object {
  const results = files.flatMap(({ findings }) =>
    findings.map(
      (finding): SarifResult => ({
        rule: finding.code,
        level: finding.severity,
        text: sentence(finding),
        place: finding,
      }),
    ),
  );
  return sarifLog(results, version);
}

/** A file is a suite. An error fails a test; a note is the output of a test that passes. */
function junit({ files }: Checked): string {
  return junitXml('belay check', files.map(suite));
}

function suite({ file, findings }: CheckedFile): JunitSuite {
  const cases = findings.map((finding): JunitCase => {
    const name = `${finding.code} ${finding.line}:${finding.column}`;
    const words = sentence(finding);
    if (finding.severity !== 'error') return { group: file, name, out: `${finding.severity}: ${words}` };
    const text = `${file}:${finding.line}:${finding.column}`;
    return { group: file, name, failure: { type: finding.code, message: words, text } };
  });
  return { name: file, cases: cases.length === 0 ? [{ group: file, name: 'is in order' }] : cases };
}
