/** The spine of an audit in words: a table with a row for each line. */
import type { AuditLine } from '../../reports/audit.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { jsonText, shortened, timeText } from '../terminal/wording.ts';

/** The longest terms that are shown, in characters; --json has all of them. */
const TERMS = 200;

/** Formats the lines. */
export function auditText(lines: readonly AuditLine[], medium: Medium): string {
  if (lines.length === 0) return '  nothing\n';
  const columns = [
    { name: 'ROW', right: true },
    ...['TIME', 'WHAT', 'TOOL', 'MANDATE', 'BY', 'KEY'].map((name) => ({ name })),
  ];
  const rows = lines.map(({ seq, time, is, what, tool, under, by, key, terms }) => [
    String(seq),
    timeText(time),
    terms === null ? `${is}: ${what}` : `${is}: ${what}, ${shortened(jsonText(terms), TERMS)}`,
    tool ?? '',
    under ?? '',
    by ?? '',
    key ?? '',
  ]);
  return table(columns, rows, medium);
}
