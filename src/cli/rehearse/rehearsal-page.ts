/**
 * A rehearsal as one page that needs nothing else: no script and no other file. Each cell links to the account of its
 * run.
 */

import { placeOf } from '../../rehearsal/config/config-lines.ts';
import type { RehearsalVerdict } from '../../rehearsal/judge.ts';
import { LETTERS, type MatrixTable, matrixOf } from '../../rehearsal/matrix.ts';
import type { RehearsalCell } from '../../rehearsal/report.ts';
import { markup } from '../formats/junit.ts';
import type { Rehearsed } from './rehearse.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1b1b; background: #fff; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; } caption { text-align: left; font-weight: 600; }
th, td { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid #ddd; font-weight: normal; vertical-align: top; }
thead th { color: #555; font-size: 0.85rem; } code, pre, td { font-family: ui-monospace, monospace; font-size: 0.9rem; }
div.wide { overflow-x: auto; } td.few { white-space: nowrap; } p code, li code { overflow-wrap: anywhere; }
.cell { display: inline-block; min-width: 1.2rem; text-align: center; margin-right: 2px; text-decoration: none; border-radius: 3px; color: #1b1b1b; }
.same.cell { background: #d9f2df; } .parked.cell { background: #ffedc2; } .harm.cell { background: #b3261e; color: #fff; } .unreached.cell { background: #eee; }
a.cell:hover, a.cell:focus-visible { outline: 3px solid #1a73e8; outline-offset: 1px; }
section.run { display: none; border: 1px solid #888; border-radius: 6px; padding: 0 1rem 1rem; margin: 1rem 0; } section.run:target { display: block; }
section.run.harm { display: block; border-color: #b3261e; } pre { white-space: pre-wrap; background: #f5f5f5; padding: 0.5rem; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #eee; } pre { background: #262626; } a.back { color: #8ab4f8; } section.run.harm { border-color: #f28b82; } th, td { border-color: #444; } thead th { color: #bbb; } }
`;

/** Formats a rehearsal as HTML. */
export function rehearsalPage(rehearsed: Rehearsed): string {
  const { report } = rehearsed;
  const numbers = new Map(report.cells.map((cell, index) => [cell, `run-${index + 1}`]));
  const { same, parked, harm, unreached } = report.totals;
  const title = `Rehearsal of ${markup(report.agent)}`;
  const paths = report.paths.map(({ name, faults }) => {
    const cells = report.cells.filter(({ path }) => path === name);
    const tables = matrixOf(cells).map((table) => tableHtml(table, numbers));
    return `<h2>${markup(name)}</h2>\n<p>${cells.length} of ${faults} runs</p>\n${tables.join('\n')}`;
  });
  const untaken = report.untaken.map((edge) => `<li><code>${markup(edge)}</code></li>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main id="top">
<h1>${title}</h1>
<p>${report.cells.length} runs: ${same} as without faults, ${parked} parked, ${harm} harm, ${unreached} not reached. Seed ${report.seed}, config <code>${markup(rehearsed.config)}</code>.</p>
<p><span class="cell same">=</span> ends as without the fault <span class="cell parked">P</span> parked <span class="cell harm">X</span> harm <span class="cell unreached">-</span> the fault was not reached. A letter leads to its run.</p>
${paths.join('\n')}
${untaken === '' ? '' : `<h2>Edges that no path takes without a fault</h2>\n<ul>\n${untaken}\n</ul>`}
${againHtml(rehearsed)}
${mutationsHtml(rehearsed)}
<h2>Runs</h2>
${report.cells.map((cell) => runHtml(cell, numbers.get(cell) ?? '', rehearsed)).join('\n')}
</main>
</body>
</html>
`;
}

function tableHtml({ title, places, columns, rows }: MatrixTable, numbers: ReadonlyMap<RehearsalCell, string>): string {
  const head = [places.toLowerCase(), ...columns].map((name) => `<th scope="col">${markup(name)}</th>`).join('');
  const body = rows.map(({ place, cells }) => {
    const links = cells.map(
      (some) =>
        `<td${some.length > 3 ? '' : ' class="few"'}>${some.map((cell) => linkHtml(cell, numbers.get(cell) ?? '')).join('')}</td>`,
    );
    return `<tr><th scope="row"><code>${markup(place)}</code></th>${links.join('')}</tr>`;
  });
  return `<div class="wide"><table><caption>${markup(title)}</caption><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

function linkHtml({ verdict, text }: RehearsalCell, number: string): string {
  const label = markup(`${text}: ${verdict.is}`);
  return `<a class="cell ${verdict.is}" href="#${number}" title="${label}" aria-label="${label}">${LETTERS[verdict.is]}</a>`;
}

function runHtml(cell: RehearsalCell, number: string, { config, document }: Rehearsed): string {
  const { line } = cell.culprits?.[0] ?? placeOf(document, cell.fault);
  const fixes = (cell.culprits ?? []).map(
    (each) => `<li><code>${markup(config)}:${each.line}</code> ${markup(each.text)}</li>`,
  );
  const lines = cell.timeline.map(markup).join('\n');
  return `<section class="run ${cell.verdict.is}" id="${number}">
<h3>${markup(cell.text)}</h3>
<p><code>${markup(cell.id)}</code>, <code>${markup(config)}:${line}</code></p>
${witnessHtml(cell.verdict)}
${fixes.length === 0 ? '' : `<p>To fix it, one of</p><ol>${fixes.join('')}</ol>`}
<pre>${lines}</pre>
<p><a class="back" href="#top">Back to the matrix</a></p>
</section>`;
}

function againHtml({ config, report }: Rehearsed): string {
  if (report.again.length === 0) return '';
  const rows = report.again.map(({ path, state, tool, text, line }) => {
    const at = line === undefined ? markup(path) : `${markup(config)}:${line}`;
    return `<tr><td>${at}</td><td>${markup(`${tool} in ${state}`)}</td><td>${markup(text)}</td></tr>`;
  });
  const head =
    '<thead><tr><th scope="col">line</th><th scope="col">act</th><th scope="col">asked for again</th></tr></thead>';
  return `<h2>Each act asked for once more, as by a model that plans anew</h2>\n<div class="wide"><table>${head}<tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

function mutationsHtml({ config, report: { mutations } }: Rehearsed): string {
  if (mutations === undefined) return '';
  const rows = mutations.map(({ line, text, found }) => {
    const by = found === null ? 'survived' : `${found.id}: ${found.harms[0]?.text ?? ''}`;
    return `<tr><td>${markup(config)}:${line}</td><td>${markup(text)}</td><td>${markup(by)}</td></tr>`;
  });
  const head =
    '<thead><tr><th scope="col">line</th><th scope="col">loosening</th><th scope="col">found by</th></tr></thead>';
  return `<h2>Loosenings of the config</h2>\n<div class="wide"><table>${head}<tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

/** The reasons of a verdict: what is wrong in the world, or why the run stands still and what would unblock it. */
function witnessHtml(verdict: RehearsalVerdict): string {
  const list = (texts: readonly string[]) => `<ul>${texts.map((text) => `<li>${markup(text)}</li>`).join('')}</ul>`;
  switch (verdict.is) {
    case 'same':
      return '<p>Ends as without the fault.</p>';
    case 'unreached':
      return `<p>Not reached: ${markup(verdict.why)}.</p>`;
    case 'harm':
      return `<p>Harm:</p>${list(verdict.harms.map(({ is, text }) => `${is}: ${text}`))}`;
    case 'parked':
      return `<p>Parked: ${markup(verdict.reasons.join(', '))}. What would unblock it:</p>${list(verdict.unblock)}`;
  }
}
