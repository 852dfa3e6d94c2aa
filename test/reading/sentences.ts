/** The sentences of comments and of pages, without code, as a reader meets them. */

/** A sentence, and the line of its file on which its paragraph begins. */
export interface Sentence {
  readonly text: string;
  readonly line: number;
}

interface Paragraph {
  readonly text: string;
  readonly line: number;
}

/** The sentences of the comments of a TypeScript file. */
export function commentSentences(text: string): Sentence[] {
  const comments: Paragraph[] = [];
  for (const { 0: block, index } of text.matchAll(/\/\*\*?[^\S\n]?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*(?:\n\s*\/\/ .*)*/g)) {
    const line = text.slice(0, index).split('\n').length;
    const body = block.replace(/^\/\*+|\*+\/$/g, '').replace(/^\s*(?:\*|\/\/) ?/gm, '');
    // An example is code, up to the next tag.
    const prose = body.replace(/^@example[\s\S]*?(?=^@(?!example)|(?![\s\S]))/gm, '');
    comments.push(
      ...paragraphs(prose.replace(/@(?:param (?:\S+ )?|returns?|throws|see|typeParam \S+)/g, '\n\n'), line),
    );
  }
  return comments.flatMap(sentencesOf);
}

/** The sentences of a Markdown page; each cell of a table and each item of a list is read by itself. */
export function pageSentences(text: string): Sentence[] {
  const prose = text
    .replace(/^```[\s\S]*?^```$/gm, (fence) => fence.replace(/[^\n]/g, ''))
    .replace(/^\s*(?:[-*]|\d+\.|#+|>) /gm, '\n')
    .replace(/^\|.*$/gm, (row) => row.replaceAll('|', '\u2029'));
  return paragraphs(prose, 1).flatMap(sentencesOf);
}

function paragraphs(text: string, line: number): Paragraph[] {
  const found: Paragraph[] = [];
  let at = 0;
  for (const part of text.split(/\n\s*\n|\u2029/)) {
    found.push({ text: part, line: line + text.slice(0, at).split('\n').length - 1 });
    at += part.length;
  }
  return found;
}

function sentencesOf({ text, line }: Paragraph): Sentence[] {
  return text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/`[^`]*`|\{@link [^}]*\}/g, 'CODE')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?][)"”]?) (?=[A-Z("“[])/)
    .map((sentence) => ({ text: sentence.trim(), line }))
    .filter((sentence) => /[a-z]{2,} .*[a-z]{2,}/i.test(sentence.text));
}
