/**
 * Rehearses the five domains and the examples, and writes what came of it into their pages in docs/rehearsals/, between the markers.
 * Names as arguments: only these. Needs the domains built.
 *
 *     npm run prove rehearsals
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { rehearsals } from '../../examples/rehearsals.ts';
import { rehearsalText } from '../../src/cli/rehearse/rehearsal-text.ts';
import type { Rehearsed as Whole } from '../../src/cli/rehearse/rehearse.ts';
import { type RehearsalCell, type RehearsalReport, rehearse } from '../../src/testing/index.ts';
import { root } from '../pages.ts';
import { belay } from './belay.ts';

type Rehearsed = Omit<Whole, 'document'>;

/** The agents of domains/, by the ids of their machines. */
export const DOMAINS = ['navigation', 'schedule-form', 'diagnosis', 'etl-pipeline', 'travel-planning'] as const;

/** All agents that have a page. */
export const REHEARSED: readonly string[] = [...DOMAINS, ...Object.keys(rehearsals)];

/** The seed of the pages. */
export const SEED = 1;

const [BEGIN, END] = ['<!-- rehearsal: written by npm run prove rehearsals -->', '<!-- end of rehearsal -->'];

/** Rehearses one of them: all of its cells, or so many. */
export async function rehearsed(name: string, sample: number | null): Promise<Rehearsed> {
  const own = rehearsals[name];
  if (own !== undefined) {
    const options = own();
    const file = String(options.config);
    const report = await rehearse({ ...options, seed: SEED, ...(sample !== null && { sample }) });
    const failing = report.cells.filter(({ verdict }) => verdict.is === 'harm');
    return { config: file.slice(root.length), report, failing };
  }
  const some = sample === null ? [] : ['--sample', String(sample)];
  const { code, out, err } = await belay(['rehearse', name, '--seed', String(SEED), '--json', ...some], '', {}, root);
  if (code === 2 || err !== '') throw new Error(err);
  const { config, failing, ...report } = JSON.parse(out) as RehearsalReport & { config: string; failing: string[] };
  return { config, report, failing: report.cells.filter(({ id }) => failing.includes(id)) };
}

/** The line of a cell on its page. */
export function cellLine({ id, verdict }: RehearsalCell): string {
  const why = verdict.is === 'parked' ? ` (${verdict.reasons.join(', ')})` : '';
  return `${verdict.is}${why}: ${id}`;
}

/** The path of a page. */
export function pageOf(name: string): string {
  return `${root}docs/rehearsals/${name}.md`;
}

/** The lines of the cells on a page. */
export function linesOn(page: string): readonly string[] {
  const [, part = ''] = page.slice(page.indexOf(BEGIN), page.indexOf(END)).split('```cells\n');
  return part.slice(0, part.indexOf('```')).trim().split('\n');
}

function written(page: string, made: Rehearsed): string {
  const text = rehearsalText(made as Whole, { columns: 110, colours: false } as never);
  const cells = made.report.cells.map(cellLine).join('\n');
  const content = `${BEGIN}\n\n\`\`\`text\n${text}\`\`\`\n\n## Every run\n\n\`\`\`cells\n${cells}\n\`\`\`\n\n${END}`;
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  return `${page.slice(0, from)}${content}${page.slice(to + END.length)}`;
}

function empty(name: string): string {
  const of = (DOMAINS as readonly string[]).includes(name) ? 'domains/README.md' : 'examples/README.md';
  const made = (DOMAINS as readonly string[]).includes(name)
    ? `npx --no belay rehearse ${name} --seed ${SEED}`
    : 'npm run prove rehearsals';
  return `# Rehearsal of ${name}\n\nThe agent is described in [${of}](../../${of}). \`${made}\` makes these runs again; [rehearse.md](../rehearse.md) says how to read them.\n\n${BEGIN}\n${END}\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : REHEARSED;
  mkdirSync(`${root}docs/rehearsals`, { recursive: true });
  for (const name of names) {
    const start = performance.now();
    const made = await rehearsed(name, null);
    const page = existsSync(pageOf(name)) ? readFileSync(pageOf(name), 'utf8') : empty(name);
    writeFileSync(pageOf(name), written(page, made));
    const { same, parked, harm, unreached } = made.report.totals;
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(
      `${name}: ${same} same, ${parked} parked, ${harm} harm, ${unreached} not reached, in ${seconds} seconds`,
    );
    if (harm > 0) process.exitCode = 1;
  }
}
