/** The changes between two configs, for a code host (SARIF), a build server (JUnit) and a comment on a change (Markdown). */
import { type JunitCase, junitXml } from '../formats/junit.ts';
import { type SarifResult, sarifLog } from '../formats/sarif.ts';
import { printable } from '../terminal/printable.ts';
import { type Compared, comparedText, type FAIL_ON } from './difference.ts';

/** The formats of `belay review --diff --format`. */
export const DIFF_FORMATS = ['text', 'json', 'sarif', 'junit', 'markdown'] as const;

/** The way in which a comparison is presented. */
export interface Presenting {
  readonly format: (typeof DIFF_FORMATS)[number];
  /** The changes that fail a test of JUnit, and are errors in SARIF. */
  readonly failOn: (typeof FAIL_ON)[number];
  readonly colours: boolean;
  readonly version: string;
}

/** One change of either kind, in the words of a format. */
interface Said {
  readonly is: string;
  readonly about: string;
  readonly text: string;
  readonly fails: boolean;
  readonly place: SarifResult['place'];
}

/** Formats a comparison. */
export function presentCompared(compared: Compared, { format, failOn, colours, version }: Presenting): string {
  switch (format) {
    case 'text':
      return comparedText(compared, colours);
    case 'json':
      return `${JSON.stringify(compared, null, 2)}\n`;
    case 'sarif':
      return `${JSON.stringify(sarifLog(saidIn(compared, failOn).map(resultOf), version), null, 2)}\n`;
    case 'junit':
      return junit(compared, saidIn(compared, failOn));
    case 'markdown':
      return markdown(compared, saidIn(compared, failOn));
  }
}

function saidIn({ changes, recoverable, now }: Compared, failOn: Presenting['failOn']): readonly Said[] {
  return [
    ...changes.map(({ is, about, old, now: after, consequence, file, line, column }) => {
      const text = `${old ?? 'nothing'} => ${after ?? 'nothing'}. ${consequence}`;
      return { is, about, text, fails: failOn === 'any' || is === 'looser', place: { file, line, column } };
    }),
    ...recoverable.map(({ is, skeleton, at, why }) => {
      const text = `${is}${why.length === 0 ? '' : `: ${why.join('; ')}`}`;
      const fails = failOn === 'any' || is === 'recoverable';
      const side = is === 'recoverable' ? 'looser' : 'stricter';
      return { is: side, about: `${skeleton} ${at}`, text, fails, place: { file: now.file, line: 1, column: 1 } };
    }),
  ];
}

function resultOf({ is, about, text, fails, place }: Said): SarifResult {
  return { rule: is, level: fails ? 'error' : 'note', text: printable(`${about}: ${text}`), place };
}

function junit({ now }: Compared, said: readonly Said[]): string {
  const cases = said.map(({ is, about, text, fails, place }): JunitCase => {
    const named = { group: now.file, name: `${is} ${about}` };
    if (!fails) return { ...named, out: text };
    return { ...named, failure: { type: is, message: text, text: `${place.file}:${place.line}:${place.column}` } };
  });
  const none: JunitCase = { group: now.file, name: 'nothing changed in meaning' };
  return junitXml('belay review --diff', [{ name: now.file, cases: cases.length === 0 ? [none] : cases }]);
}

function markdown({ old, now }: Compared, said: readonly Said[]): string {
  const head = `**${cell(now.agent)}**: ${cell(old.file)} to ${cell(now.file)}`;
  if (said.length === 0) return `${head}: nothing changed in meaning\n`;
  const rank = ({ is }: Said) => ['looser', 'stricter', 'other'].indexOf(is);
  const rows = said
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ is, about, text }) => `| ${is} | ${cell(about)} | ${cell(text)} |`);
  return [head, '', '| side | what | change and consequence |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** A text within a cell of a table, where no character of it is markup. */
function cell(text: string): string {
  return printable(text)
    .replace(/[\\`*_{}[\]()#+!|<>&~]/g, (character) => `\\${character}`)
    .replace(/\s+/g, ' ');
}
