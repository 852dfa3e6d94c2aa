/**
 * Parses bytes into a document. The file is untrusted: nothing in it may cost more than its length, and nothing may
 * have a meaning that is invisible to a reader of the file. Every problem is reported; if a problem leaves nothing to
 * read, `root` is null.
 */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type ParsedNode,
  Parser,
  type Scalar,
} from 'yaml';
import type { ConfigDocument, Entry, Item, ScalarItem } from './document.ts';
import type { Findings, Place, RefusalCode } from './finding.ts';

/** The largest file, in bytes. */
const LARGEST = 256 * 1024;
/** The most tokens (a name, a bracket, a space) of a file. */
const MOST_PIECES = 60_000;
/** The most names and values: some findings compare them with each other. */
const MOST_VALUES = 6_000;
/** The deepest level of nested values. */
const DEEPEST = 32;

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Reads a file's content, and reports its errors to `findings`. */
export function parseDocument(content: string | Uint8Array, file: string, findings: Findings): ConfigDocument {
  const text = decode(content, findings);
  return { file, root: text === null ? null : new Reader(text, findings).read() };
}

function decode(content: string | Uint8Array, findings: Findings): string | null {
  const refuse = (code: RefusalCode, message: string, mend: string, at: Place = { line: 1, column: 1 }) => {
    findings.report(code, 'error', at, message, mend);
    return null;
  };
  const bytes = typeof content === 'string' ? content.length : content.byteLength;
  if (bytes > LARGEST)
    return refuse('too_large', `the file has more than ${LARGEST / 1024} KiB`, 'Write one file for each agent.');
  let text: string;
  try {
    text = typeof content === 'string' ? content : new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return refuse('not_utf8', 'the file is not UTF-8', 'Save it as UTF-8.');
  }
  if (!text.isWellFormed()) return refuse('not_utf8', 'the text has a lone surrogate', 'Save it as UTF-8.');
  if (text.startsWith('\ufeff')) text = text.slice(1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  const control = text.search(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]/);
  if (control === -1) return text;
  const code = text.charCodeAt(control).toString(16).padStart(4, '0');
  return refuse(
    'control_character',
    `the file has the control character U+${code}`,
    'Take it out.',
    placeOf(lineStarts(text), control),
  );
}

class Reader {
  readonly #text: string;
  readonly #lines: readonly number[];
  readonly #findings: Findings;
  #values = 0;

  constructor(text: string, findings: Findings) {
    this.#text = text;
    this.#lines = lineStarts(text);
    this.#findings = findings;
  }

  read(): Item | null {
    const document = this.#compose();
    if (document === null) return null;
    for (const { pos, message } of [...document.errors, ...document.warnings]) {
      this.#refuse('yaml_syntax', pos[0], message.split('\n')[0] as string, 'Write plain YAML 1.2.');
    }
    if (document.errors.length > 0) return null;
    if (document.contents === null) return this.#empty();
    const root = this.#item(document.contents, 0);
    if (this.#values <= MOST_VALUES) return root;
    this.#refuse('too_large', 0, `the file has more than ${MOST_VALUES} values`, 'Write one file for each agent.');
    return null;
  }

  /** Cuts the text into its document, and counts tokens and depth on the way, because the later passes recurse. */
  #compose(): Document.Parsed | null {
    const parser = new Parser();
    const tokens = [];
    let pieces = 0;
    for (const piece of new Lexer().lex(this.#text)) {
      pieces += 1;
      if (pieces > MOST_PIECES) {
        this.#refuse(
          'too_large',
          parser.offset,
          `the file has more than ${MOST_PIECES} pieces`,
          'Write one file for each agent.',
        );
        return null;
      }
      tokens.push(...parser.next(piece));
      if (parser.stack.length > DEEPEST + 3) return this.#tooDeep(parser.offset);
    }
    tokens.push(...parser.end());
    const options = { version: '1.2', schema: 'core', merge: false, uniqueKeys: false, prettyErrors: false } as const;
    const documents = [...new Composer(options).compose(tokens, true, this.#text.length)];
    const second = documents[1];
    if (second === undefined) return documents[0] as Document.Parsed;
    this.#refuse(
      'not_one_document',
      second.range[0],
      'a second document begins here',
      'Write one file for each agent.',
    );
    return null;
  }

  #tooDeep(offset: number): null {
    this.#refuse('too_deep', offset, `the values are nested more than ${DEEPEST} deep`, 'Nest the values less.');
    return null;
  }

  #empty(): null {
    this.#refuse('not_one_document', 0, 'the file is empty', 'Begin with "belay: 1" and "agent: NAME".');
    return null;
  }

  #item(node: ParsedNode, depth: number): Item {
    this.#values += 1;
    const start = node.range[0];
    const at = this.#place(start);
    this.#plainness(node, start);
    if (depth > DEEPEST) this.#tooDeep(start);
    else if (isMap(node)) return { kind: 'map', at, entries: this.#entries(node.items as never, depth) };
    else if (isSeq(node)) {
      return {
        kind: 'list',
        at,
        items: (node.items as (ParsedNode | null)[]).map((item) => this.#value(item, start, depth)),
      };
    } else if (isScalar(node)) return this.#scalar(node as Scalar.Parsed, at);
    return { kind: 'scalar', at, value: null, verbatim: null };
  }

  #value(node: ParsedNode | null, near: number, depth: number): Item {
    if (node !== null) return this.#item(node, depth + 1);
    return { kind: 'scalar', at: this.#place(near), value: null, verbatim: null };
  }

  #entries(pairs: readonly { key: ParsedNode | null; value: ParsedNode | null }[], depth: number): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const { key, value } of pairs) {
      const offset = key?.range[0] ?? value?.range[0] ?? 0;
      const at = this.#place(offset);
      if (key !== null) this.#plainness(key, offset);
      const name = isScalar(key) ? key.value : undefined;
      const item = this.#value(value, offset, depth);
      if (typeof name !== 'string') {
        this.#refuse('name_not_text', offset, 'a name is a text', 'Put it in quotes.');
      } else if (FORBIDDEN.has(name)) {
        this.#refuse('forbidden_key', offset, `"${name}" is no name`, 'Take another name.');
      } else if (name === '<<') {
        this.#refuse('merge_key', offset, 'merge keys are not supported', 'Write the value itself here.');
      } else if (!isText(name)) {
        this.#refuse('bad_text', offset, 'the name has a control character or a lone surrogate', 'Take another name.');
      } else if (entries.has(name)) {
        this.#refuse('duplicate_key', offset, `"${name}" stands here a second time`, 'Keep one of them.');
      } else entries.set(name, { at, item });
    }
    return entries;
  }

  #scalar(node: Scalar.Parsed, at: Place): ScalarItem {
    const [start, end] = node.range;
    const value: unknown = node.value;
    if (typeof value === 'string') {
      if (!isText(value)) {
        this.#refuse('bad_text', start, 'the text has a control character or a lone surrogate', 'Take it out.');
      }
      const source = this.#text.slice(start, end);
      const verbatim = source.includes('\n') ? -1 : source.indexOf(value);
      return { kind: 'scalar', at, value, verbatim: verbatim === -1 ? null : verbatim };
    }
    if (typeof value === 'number' && !(Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      this.#refuse(
        'bad_number',
        start,
        'the number is not finite, or too great to be exact',
        'Write a smaller number.',
      );
      return { kind: 'scalar', at, value: 0, verbatim: null };
    }
    return { kind: 'scalar', at, value: value as number | boolean | null, verbatim: null };
  }

  /** Reports a node that is an alias, an anchor or a tag. */
  #plainness(node: Node, offset: number): void {
    const mend = 'Write the value itself here.';
    if (isAlias(node)) this.#refuse('alias', offset, 'aliases are not supported', mend);
    else if (node.anchor !== undefined) this.#refuse('alias', offset, 'anchors are not supported', mend);
    if ('tag' in node && node.tag !== undefined)
      this.#refuse('tag', offset, 'tags are not supported', 'Leave the tag out.');
  }

  #place(offset: number): Place {
    return placeOf(this.#lines, offset);
  }

  #refuse(code: RefusalCode, offset: number, message: string, mend: string): void {
    this.#findings.report(code, 'error', this.#place(offset), message, mend);
  }
}

/** Line ends and tabs may stand in a text; other control characters, also escaped ones, may not. */
function isText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  return text.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

function placeOf(lines: readonly number[], offset: number): Place {
  let [low, high] = [0, lines.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lines[middle] as number) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (lines[low] as number) + 1 };
}
