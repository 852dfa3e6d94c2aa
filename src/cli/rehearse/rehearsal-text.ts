/** A rehearsal for a person at a terminal: the matrix, then what failed, what parked and why, and what was never tried. */
import Table from 'cli-table3';
import pc from 'picocolors';
import type { CoveredPlace } from '../../rehearsal/coverage.ts';
import { RECONCILERS } from '../../rehearsal/faults/fault.ts';
import { LETTERS, type MatrixTable, matrixOf } from '../../rehearsal/matrix.ts';
import type { FewestSteps, RehearsalCell, RehearsalReport, RehearsedMutation } from '../../rehearsal/report.ts';
import { printable } from '../terminal/printable.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import type { ChangedSince, Rehearsed } from './rehearse.ts';

const LEGEND =
  'Each letter is one run: = ends as without the fault, P parked, X harm, - the fault was not reached, . not drawn. Where a call has a reconciler: it knows, it does not know, it is absent.';

/** The most runs of a kind that are listed one by one. */
const MOST = 12;
/** The most tightenings of the config that are listed for a run. */
const MOST_FIXES = 3;
/** The last lines of a timeline that are shown. */
const LAST = 8;

/** Formats a rehearsal. */
export function rehearsalText(rehearsed: Rehearsed, medium: Medium): string {
  const { report } = rehearsed;
  const { bold } = pc.createColors(medium.colours);
  const paths = report.paths.map(({ name, faults, findings }) => {
    const cells = report.cells.filter(({ path }) => path === name);
    const size = cells.length === faults ? `${faults} runs` : `${cells.length} of ${faults} runs`;
    const head = bold(`${printable(report.agent)}, ${printable(name)}: ${size}`);
    const tables = matrixOf(cells).map((table) => `${table.title}\n${matrixText(table, medium)}`);
    return [head, ...tables, ...findings.map((finding) => layOut(null, { label: 'finding', text: finding }, medium))];
  });
  const blocks = [
    ...paths.flat(),
    layOut(null, { text: LEGEND }, medium),
    ...failures(rehearsed, medium),
    parksText(report.cells, medium),
    againText(rehearsed, medium),
    report.mutations === undefined ? '' : mutationsText(rehearsed.config, report.mutations, medium),
    report.dropped.length === 0 ? '' : droppedText(report.dropped, medium),
    report.untaken.length === 0 ? '' : untakenText(report.untaken, medium),
    unmetText(report.cells, medium),
    rehearsed.changed === undefined ? '' : changedText(rehearsed.changed, medium),
    `${totalsText(rehearsed)}\n${coverageText(report.coverage, medium)}`,
  ];
  return `${blocks
    .filter((block) => block !== '')
    .map((block) => block.trimEnd())
    .join('\n\n')}\n`;
}

function matrixText({ places, columns, rows }: MatrixTable, { colours, columns: width }: Medium): string {
  const { dim } = pc.createColors(colours);
  const bare = Object.fromEntries(
    ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'].map((each) => [
      each,
      '',
    ]),
  );
  const inner = { left: '  ', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' };
  const table = new Table({
    head: [places, ...columns].map((name) => dim(name.toUpperCase())),
    chars: { ...bare, ...inner },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  const room = Math.max(16, width - columns.reduce((sum, { length }) => sum + length + 2, 4));
  for (const { place, cells } of rows)
    table.push([clipped(printable(place), room), ...cells.map((some) => lettersOf(some, colours))]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** One letter for each run; where a reconciler may answer in three ways, one for each way, and a dot where that was not drawn. */
function lettersOf(cells: readonly RehearsalCell[], colours: boolean): string {
  const ofReconciler = (kind: string) => cells.find(({ fault }) => fault.kind === 'call' && fault.reconciler === kind);
  if (!RECONCILERS.some(ofReconciler)) return cells.map((cell) => letter(cell, colours)).join('');
  return RECONCILERS.map((kind) => {
    const cell = ofReconciler(kind);
    return cell === undefined ? '.' : letter(cell, colours);
  }).join('');
}

function letter({ verdict }: RehearsalCell, colours: boolean): string {
  const { green, yellow, red, dim } = pc.createColors(colours);
  const paint = { same: green, parked: yellow, harm: red, unreached: dim }[verdict.is];
  return paint(LETTERS[verdict.is]);
}

function clipped(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 3))}...`;
}

function failures({ config, failing }: Rehearsed, medium: Medium): string[] {
  const shown = failing.slice(0, MOST).map((cell) => {
    const { verdict, text, id, timeline, culprits = [], fewest } = cell;
    const why =
      verdict.is === 'harm'
        ? verdict.harms.map(({ is, text: what }) => ({ label: is, text: what }))
        : verdict.is === 'parked'
          ? [{ label: 'parked', text: verdict.reasons.join(', ') }]
          : [];
    const fixes = culprits.slice(0, MOST_FIXES).map(({ line, column, text: what }) => {
      return { text: `${config}:${line}:${column} ${what}` };
    });
    const shorter = fewest === undefined ? [] : [{ text: fewestText(fewest) }];
    const last = timeline.slice(-LAST).map((line) => ({ text: line }));
    const label = verdict.is === 'harm' ? 'HARM' : 'NOT ALLOWED TO PARK';
    return layOut(
      null,
      {
        label,
        text,
        under: [
          { text: id },
          ...why,
          ...(fixes.length === 0 ? [] : [{ text: 'To fix it, one of', under: fixes }]),
          ...shorter,
          { text: 'What happened last', under: last },
        ],
      },
      medium,
    );
  });
  const more = failing.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more: --json has them all\n`] : shown;
}

/** Parked runs by their reasons, with the changes that would unblock one run of each reason. */
function parksText(cells: readonly RehearsalCell[], medium: Medium): string {
  const groups = new Map<string, RehearsalCell[]>();
  for (const cell of cells) {
    if (cell.verdict.is !== 'parked') continue;
    const reasons = cell.verdict.reasons.join(', ');
    groups.set(reasons, [...(groups.get(reasons) ?? []), cell]);
  }
  if (groups.size === 0) return '';
  const under = [...groups].map(([reasons, some]) => {
    const first = some[0] as RehearsalCell;
    const unblock = first.verdict.is === 'parked' ? first.verdict.unblock.map((text) => ({ text })) : [];
    const runs = some.length === 1 ? '1 run' : `${some.length} runs`;
    return { label: reasons, text: `${runs}, for instance where ${first.text}`, under: unblock };
  });
  return layOut(null, { text: 'Parked, and what would unblock it', under }, medium);
}

function fewestText({ input, events }: FewestSteps): string {
  const given = input === undefined ? '' : ` with the input ${JSON.stringify(input)}`;
  const sent = events.length === 0 ? '' : ` and the events ${events.join(', ')}`;
  return `It takes no more than a path${given}${sent}.`;
}

/** Each act that was asked for again, those that acted twice with the line of their tool. */
function againText({ config, report }: Rehearsed, medium: Medium): string {
  if (report.again.length === 0) return '';
  const several = report.paths.length > 1;
  const under = report.again.map(({ path, state, tool, is, text, line, column }) => {
    const at = is === 'twice' && line !== undefined ? [{ text: `${config}:${line}:${column}` }] : [];
    return { label: `${tool} in ${state}${several ? `, ${path}` : ''}`, text, under: at };
  });
  return layOut(null, { text: 'Each act asked for once more, as by a model that plans anew', under }, medium);
}

/** The loosenings that some run noticed, as a count, and the loosenings that no run noticed. */
function mutationsText(config: string, mutations: readonly RehearsedMutation[], medium: Medium): string {
  const survived = mutations.filter(({ found }) => found === null);
  const found = `${mutations.length - survived.length} of ${mutations.length} loosenings of the config do harm in some run.`;
  const why = 'These survived: there the config is stricter than the machine needs, or the paths are too few';
  const under = survived.map(({ line, column, kind, text }) => ({
    text: `${config}:${line}:${column} ${kind}: ${text}`,
  }));
  return layOut(null, { text: under.length === 0 ? found : `${found} ${why}`, under }, medium);
}

function droppedText(dropped: RehearsalReport['dropped'], medium: Medium): string {
  const under = dropped.slice(0, MOST).map(({ path, why }) => ({ text: `${path}: ${why}` }));
  return layOut(null, { text: `Not rehearsed: ${dropped.length} ways that were explored`, under }, medium);
}

function untakenText(untaken: readonly string[], medium: Medium): string {
  const under = untaken.slice(0, MOST).map((text) => ({ text }));
  const more = untaken.length - under.length;
  const all = more > 0 ? [...under, { text: `and ${more} more` }] : under;
  return layOut(null, { text: 'No path takes these edges without a fault', under: all }, medium);
}

/** The runs that ended before their fault, each with why. */
function unmetText(cells: readonly RehearsalCell[], medium: Medium): string {
  const unmet = cells.flatMap(({ id, verdict }) => (verdict.is === 'unreached' ? [`${id}: ${verdict.why}`] : []));
  if (unmet.length === 0) return '';
  const under = unmet.slice(0, MOST).map((text) => ({ text }));
  const more = unmet.length - under.length;
  const all = more > 0 ? [...under, { text: `and ${more} more: --json has them all` }] : under;
  return layOut(null, { text: 'Not reached, so that these runs say nothing', under: all }, medium);
}

function changedText({ since, tools, skeletons }: ChangedSince, medium: Medium): string {
  const named = [...tools.map((name) => `the tool ${name}`), ...skeletons.map((name) => `the boundaries of ${name}`)];
  const text =
    named.length === 0
      ? `No tool and no boundary has changed in meaning since ${since}: nothing came first`
      : `Rehearsed first, as changed since ${since}: ${named.join(', ')}`;
  return layOut(null, { text }, medium);
}

/** The tools and boundaries that have met every fault, and those that have not, with how many. */
function coverageText(coverage: RehearsalReport['coverage'], medium: Medium): string {
  const named = ({ kind, name }: CoveredPlace) => (kind === 'tool' ? name : `"${name}"`);
  const whole = coverage.filter(({ faults, met }) => faults > 0 && met === faults);
  const partly = coverage.filter(({ faults, met }) => faults === 0 || met < faults);
  const every = whole.length === 0 ? 'nothing' : whole.map(named).join(', ');
  const rest = partly.map(
    (place) => `${named(place)} (${place.faults === 0 ? 'on no path' : `${place.met} of ${place.faults}`})`,
  );
  const not = rest.length === 0 ? '' : `; not ${rest.join(', ')}`;
  return layOut(null, { text: `Every fault met: ${every}${not}` }, medium);
}

function totalsText({ report, failing }: Rehearsed): string {
  const { same, parked, harm, unreached } = report.totals;
  const rest = unreached === 0 ? '' : `, ${unreached} not reached`;
  const fails = failing.length === 0 ? 'nothing fails' : `${failing.length} fail${failing.length === 1 ? 's' : ''}`;
  return `${report.cells.length} runs: ${same} as without faults, ${parked} parked, ${harm} harm${rest}; ${fails} (seed ${report.seed})`;
}
