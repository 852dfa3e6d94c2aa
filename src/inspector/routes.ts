/** The routes that the page may request: a path, a method, and the view or the act behind it. */
import { ledgersOf } from '../reports/ledgers.ts';
import type { Admitted } from './http/admission.ts';
import { textOf } from './http/body.ts';
import { withTexts } from './http/shown.ts';
import { InspectorError } from './inspector-error.ts';
import type { Inspected, Saying, Told } from './port.ts';
import type { Read, Runs } from './reading.ts';
import { isNamed, type Offered, offered } from './views/acts.ts';
import { configsView } from './views/configs.ts';
import { contextView } from './views/context.ts';
import { decisionView, supposedView } from './views/decision.ts';
import { diagramView } from './views/diagram.ts';
import { runView } from './views/run.ts';
import { runsView } from './views/runs.ts';

type Body = Readonly<Record<string, unknown>>;

interface Asked {
  readonly read: Read;
  /** The rest of the path, and the query. */
  readonly rest: string | null;
  readonly query: URLSearchParams;
  readonly body: Body;
}

type Route = (asked: Asked) => unknown;

const LONGEST_NAME = 200;
const LONGEST_WHY = 2_000;
const LONGEST_OUTPUT = 60_000;

/** Answers admitted requests for data. */
export function routes(port: Inspected, runs: Runs, now: () => number) {
  const reads: Readonly<Record<string, Route>> = {
    '': ({ read }) => runView(read, port, now()),
    ledger: ({ read }) => port.ledger(read.summary.run, ledgersOf(read.rows, now())),
    timeline: ({ read }) => read.course,
    diagram: ({ read }) => diagramView(read),
    context: ({ read, rest }) => contextView(read, Number(rest)),
    decision: ({ read, rest }) => decisionView(read, Number(rest)),
  };
  const acts: Readonly<Record<string, Route>> = {
    'what-if': ({ read, rest, body }) => supposedView(read, Number(rest), body.suppose),
    act: ({ read, body }) => act(read, body, port, now()),
  };
  const files: Readonly<Record<string, () => unknown>> = {
    '/api/runs': () => runsView(runs, port.file, now()),
    '/api/configs': () => configsView(port, runs),
  };
  return async ({ method, path, query }: Admitted, body: Body | null): Promise<unknown> => {
    const ofFile = Object.hasOwn(files, path) ? files[path] : undefined;
    if (ofFile !== undefined && method !== 'GET') throw new InspectorError('wrong_method', 'This is read with GET.');
    if (ofFile !== undefined) return ofFile();
    const { id, what, rest } = partsOf(path);
    const table = method === 'GET' ? reads : acts;
    if (!Object.hasOwn(reads, what) && !Object.hasOwn(acts, what)) throw nothing();
    const route = Object.hasOwn(table, what) ? table[what] : undefined;
    if (route === undefined) throw new InspectorError('wrong_method', 'This path is not asked so.');
    const read = await runs.run(id);
    const view = await route({ read, rest, query, body: body ?? {} });
    // Views redact what they know to be of a tool; whatever else holds a redacted value is found here.
    const { redaction } = read.timeline.runState;
    return redaction.isActive ? withTexts(view, (text) => redaction.text(text)) : view;
  };
}

/** The parts of a path about a run: its id, the view or act, and a number. */
function partsOf(path: string): { readonly id: string; readonly what: string; readonly rest: string | null } {
  const [, id, what = '', rest = null] = /^\/api\/runs\/([\w-]+)(?:\/([a-z-]+))?(?:\/(\d{1,9}))?$/.exec(path) ?? [];
  if (id === undefined) throw nothing();
  return { id, what, rest };
}

function nothing(): InspectorError {
  return new InspectorError('not_found', 'There is nothing at this path.');
}

/** Does an act that the run offers at this moment. */
async function act(read: Read, body: Body, port: Inspected, now: number): Promise<Told> {
  if (port.readOnly)
    throw new InspectorError('read_only', 'This server only shows: it was started with --read-only. Type the command.');
  const id = textOf(body, 'act', 200);
  const found = offered(read, now).find((each) => each.id === id);
  if (found === undefined)
    throw new InspectorError('not_offered', 'The run does not offer this act any more. Look at it again.');
  const output = textOf(body, 'output', LONGEST_OUTPUT);
  if (output !== null && !found.output) throw new InspectorError('bad_request', 'This act takes no output.');
  const { by } = found;
  const name = textOf(body, 'by', LONGEST_NAME) ?? '';
  if (isNamed(by) && name.trim() === '')
    throw new InspectorError('bad_request', 'An answer needs the name of the person who gives it.');
  const word = { name, why: textOf(body, 'why', LONGEST_WHY), output };
  return by.is === 'code' ? executed(by, read.summary.run, word, port) : said(by, read.summary.run, word, port);
}

/** The word of a person with an act: the name, the reason, and the output of a call as JSON. */
interface Word {
  readonly name: string;
  readonly why: string | null;
  readonly output: string | null;
}

/** Leaves what a person says. */
function said(
  by: Exclude<Offered['by'], { readonly is: 'code' }>,
  run: string,
  { name, why, output }: Word,
  port: Inspected,
): Promise<Told> {
  switch (by.is) {
    case 'keep':
      return port.keep(run, name, why);
    case 'retry':
      return port.retry(run, name, why);
    case 'cancel':
      return port.cancel(run, name, why);
    case 'settle':
      return port.settle(run, by.key, by.status, output, name, why);
    case 'pause':
      return port.pause(run, by.pause, name, why);
    case 'answer': {
      const saying: Saying =
        by.saying.verdict === 'settled'
          ? { ...by.saying, output }
          : by.saying.verdict === 'approved'
            ? { ...by.saying, with: output ?? by.saying.with }
            : by.saying;
      return port.answer(by.gate, saying, name, why);
    }
  }
}

/** Runs a verb that needs the code of the agent. */
function executed(
  by: Extract<Offered['by'], { readonly is: 'code' }>,
  run: string,
  { name, why, output }: Word,
  port: Inspected,
): Promise<Told> {
  if (port.execute === null)
    throw new InspectorError('not_offered', "The act runs the agent's code: start the inspector with --machines FILE.");
  const person = isNamed(by) ? [`--by=${name}`, ...(why === null ? [] : [`--why=${why}`])] : [];
  const given = [...(output === null ? [] : ['--output', output]), ...person];
  return port.execute(by.verb, run, ...by.more, ...given);
}
