/** Tests for a build server, as JUnit XML. */
import { printable } from '../terminal/printable.ts';

/** One test: it fails, is skipped, or passes, perhaps with output. */
export interface JunitCase {
  readonly group: string;
  readonly name: string;
  readonly failure?: { readonly type: string; readonly message: string; readonly text: string };
  readonly skipped?: string;
  readonly out?: string;
}

/** A group of tests. */
export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** Formats suites as one document. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const head = `<testsuites name="${markup(name)}" tests="${cases.length}" failures="${failuresIn(cases)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.map(suiteXml).join('')}</testsuites>\n`;
}

/** A text as XML and HTML have it, with every character escaped that has a meaning in either. */
export function markup(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return printable(text.toWellFormed())
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] as string);
}

function failuresIn(cases: readonly JunitCase[]): number {
  return cases.filter(({ failure }) => failure !== undefined).length;
}

function suiteXml({ name, cases }: JunitSuite): string {
  const head = `  <testsuite name="${markup(name)}" tests="${cases.length}" failures="${failuresIn(cases)}">`;
  return `${head}\n${cases.map(caseXml).join('')}  </testsuite>\n`;
}

function caseXml({ group, name, failure, skipped, out }: JunitCase): string {
  const head = `    <testcase classname="${markup(group)}" name="${markup(name)}"`;
  if (failure !== undefined) {
    const { type, message, text } = failure;
    return `${head}><failure type="${markup(type)}" message="${markup(message)}">${text.split('\n').map(markup).join('\n')}</failure></testcase>\n`;
  }
  if (skipped !== undefined) return `${head}><skipped message="${markup(skipped)}"/></testcase>\n`;
  return out === undefined ? `${head}/>\n` : `${head}><system-out>${markup(out)}</system-out></testcase>\n`;
}
