/** A rehearsal in the chosen format. */
import { placeOf } from '../../rehearsal/config/config-lines.ts';
import type { RehearsalCell } from '../../rehearsal/report.ts';
import { type JunitCase, junitXml } from '../formats/junit.ts';
import { type SarifResult, sarifLog } from '../formats/sarif.ts';
import type { Medium } from '../terminal/terminal.ts';
import { rehearsalPage } from './rehearsal-page.ts';
import { rehearsalText } from './rehearsal-text.ts';
import type { Rehearsed } from './rehearse.ts';

/** The formats of `belay rehearse --format`. */
export const REHEARSAL_FORMATS = ['text', 'json', 'sarif', 'junit', 'html'] as const;

/** One of them. */
export type RehearsalFormat = (typeof REHEARSAL_FORMATS)[number];

/** Formats a rehearsal. */
export function presentRehearsal(
  rehearsed: Rehearsed,
  format: RehearsalFormat,
  { medium, version }: { readonly medium: Medium; readonly version: string },
): string {
  switch (format) {
    case 'text':
      return rehearsalText(rehearsed, medium);
    case 'json': {
      const { config, report, failing, changed } = rehearsed;
      return `${JSON.stringify({ config, ...(changed !== undefined && { changed }), ...report, failing: failing.map(({ id }) => id) }, null, 2)}\n`;
    }
    case 'sarif':
      return `${JSON.stringify(sarifLog(resultsOf(rehearsed), version), null, 2)}\n`;
    case 'junit':
      return junitOf(rehearsed);
    case 'html':
      return rehearsalPage(rehearsed);
  }
}

/** Each run that fails, on the line whose tightening removes the harm, or else on the line of its tool or boundary. */
function resultsOf({ config, document, failing, report }: Rehearsed): readonly SarifResult[] {
  const again = report.again.flatMap(({ is, tool, state, text, line = 1, column = 1 }): SarifResult[] => {
    if (is !== 'twice') return [];
    const place = { file: config, line, column };
    return [
      { rule: 'rehearsal_acts_twice', level: 'note', text: `${tool}, asked for again in ${state}, ${text}.`, place },
    ];
  });
  const failed = failing.map((cell): SarifResult => {
    const culprit = cell.culprits?.[0];
    const { line, column } = culprit ?? placeOf(document, cell.fault);
    const fix = culprit === undefined ? '' : ` To fix it, ${culprit.text}.`;
    const text = `${cell.text}: ${whyOf(cell)}${fix}`;
    return { rule: ruleOf(cell), level: 'error', text, place: { file: config, line, column } };
  });
  return [...failed, ...again];
}

function ruleOf({ verdict }: RehearsalCell): string {
  if (verdict.is !== 'harm') return 'rehearsal_parked';
  return `rehearsal_${(verdict.harms[0]?.is ?? 'wrong').replace(' ', '_')}`;
}

/** The reasons of a verdict, in one line. */
function whyOf({ verdict }: RehearsalCell): string {
  switch (verdict.is) {
    case 'harm':
      return verdict.harms.map(({ is, text }) => `${is}: ${text}`).join('; ');
    case 'parked':
      return `parked (${verdict.reasons.join(', ')}). ${verdict.unblock.join(' ')}`;
    case 'unreached':
      return verdict.why;
    case 'same':
      return 'ends as without the fault';
  }
}

/** A path is a suite, and a run is a test. */
function junitOf({ report, failing }: Rehearsed): string {
  const failed = new Set(failing);
  const caseOf = (cell: RehearsalCell): JunitCase => {
    const named = { group: `${report.agent}.${cell.site}`, name: cell.id };
    const why = whyOf(cell);
    if (failed.has(cell))
      return { ...named, failure: { type: ruleOf(cell), message: why, text: cell.timeline.join('\n') } };
    if (cell.verdict.is === 'unreached') return { ...named, skipped: why };
    return cell.verdict.is === 'same' ? named : { ...named, out: why };
  };
  return junitXml(
    'belay rehearse',
    report.paths.map(({ name }) => ({ name, cases: report.cells.filter(({ path }) => path === name).map(caseOf) })),
  );
}
