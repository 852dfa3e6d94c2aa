/** The verb `why`: what a call, or a value, rests on, down to decisions, events, things seen outside and the input of the run. */
import { parseKey } from '../../model/key.ts';
import { suggest } from '../../predicates/suggest.ts';
import { type Outline, quoted } from '../../recovery/explain.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { type Why, type WhySource, type WhyVersion, whyOf } from '../../reports/why.ts';
import { quotedText } from '../approvals/approvals.ts';
import { calledText, NAME, nameOf } from '../ledger/ledger-words.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { plain, shortened } from '../terminal/wording.ts';

/** Options of asking why. */
export interface WhyOptions {
  readonly file: string;
  readonly run: string;
  /** The key of a call, the name of a tool, or a key of the context. */
  readonly what: string;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
}

/** The longest value in a line, in characters. */
const VALUE = 300;

/** Shows why a run made a call, or has a value. */
export function showWhy({ file, run, what, json, medium, counting }: WhyOptions): Promise<Told> {
  return reading(file, async (store) => {
    await runNamed(store, run);
    const rows = [...(await countedRows(store, run, counting))];
    const ofCall = whyOf(rows, { call: what });
    const found = ofCall.length > 0 || keyProblem(what) !== null ? ofCall : whyOf(rows, { key: what });
    if (found.length === 0) return { pieces: [], problem: `${file}: ${nothing(what, rows)}` };
    if (json) return [`${JSON.stringify({ run, what, why: found.map(fields) }, plain)}\n`];
    return found.map((why) => layOut(null, outline(why, what), medium));
  });
}

function keyProblem(text: string): unknown {
  try {
    parseKey(text);
    return null;
  } catch (error) {
    return error;
  }
}

function nothing(what: string, rows: Parameters<typeof timelineOf>[0]): string {
  const { runState } = timelineOf(rows);
  const { registry, versions } = runState.history;
  const keys = [...registry.all()].flatMap((record) => versions.writesOf(record).map(({ key }) => key.text));
  const tools = [...runState.ledger.recorded()].map(({ tool }) => tool);
  const near = suggest(what, new Set([...tools, ...keys]));
  return `no call and no value ${JSON.stringify(shortened(what, NAME))}. ${near}`;
}

function outline({ call, on }: Why, what: string): Outline {
  const under = on.map(versionOutline);
  if (call === null)
    return { label: shortened(what, NAME), text: on.length === 1 ? 'one version' : `${on.length} versions`, under };
  const { approval, after } = call;
  const approved = approval === null ? [] : [{ text: approvedText(approval) }];
  const said = after === null ? [] : [{ text: `made on ${eventText(after)}` }];
  const undone = call.undone ? ' (undone since, or made again)' : '';
  const text = `${calledText(call)} in row ${call.row}, with ${shortened(call.args, VALUE)}${undone}`;
  return { text, under: [...approved, ...said, ...under] };
}

function approvedText({ by, why }: { readonly by: string | null; readonly why: string | null }): string {
  const reason = why === null || why === '' ? '' : `, because ${shortened(quotedText(why), VALUE)}`;
  return `approved by ${by === null ? 'a person' : shortened(quotedText(by), NAME)}${reason}`;
}

function versionOutline({ key, source }: WhyVersion): Outline {
  const under = 'on' in source ? source.on.map(versionOutline) : [];
  const asked = 'asked' in source && source.asked !== null ? [{ text: `asked ${shortened(source.asked, VALUE)}` }] : [];
  return { text: `${quoted(shortened(key, NAME))} ${sourceText(source)}`, under: [...asked, ...under] };
}

function sourceText(source: WhySource): string {
  switch (source.is) {
    case 'decision':
    case 'call': {
      const from =
        source.is === 'decision' ? `from the decision ${quoted(source.tool)}` : `from ${quoted(source.tool)}`;
      return `${from}${rowText(source.row)}, which answered ${shortened(source.answered, VALUE)}`;
    }
    case 'event':
      return `from ${eventText(source)}`;
    case 'step':
      return `from the machine itself${rowText(source.row)}, after ${quoted(shortened(source.event, NAME))}`;
    case 'outside':
      return 'seen outside';
    case 'given':
      return 'given at the beginning';
    case 'above':
      return `from the same as above${rowText(source.row)}`;
    case 'cut':
      return '... and more: the answer is cut here';
  }
}

function eventText({ event, name, by, row, said, version }: Extract<WhySource, { is: 'event' }>): string {
  const named = name === null ? '' : ` ${quoted(shortened(name, NAME))}`;
  const from = by === null ? '' : ` of ${shortened(quotedText(by), NAME)}`;
  const under = version === 0 ? '' : ` (version ${version})`;
  return `the event ${quoted(shortened(event, NAME))}${named}${from}${rowText(row)}, which said ${shortened(said, VALUE)}${under}`;
}

function rowText(row: number | null): string {
  return row === null ? '' : ` in row ${row}`;
}

function fields({ call, on }: Why): object {
  return { call: call === null ? null : { ...call, instance: nameOf(call.instance) }, on: on.map(versionFields) };
}

function versionFields({ by, source, ...version }: WhyVersion): object {
  const from = 'on' in source ? { ...source, on: source.on.map(versionFields) } : source;
  return { ...version, by: by === null ? null : nameOf(by), source: from };
}
