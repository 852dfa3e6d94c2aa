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

/** The end of a paragraph that no blank line ends: of a cell, an item or a tag. */
const END = '\u2029';

/** The sentences of the comments of a TypeScript file. */
export function commentSentences(text: string): Sentence[] {
  const comments: Paragraph[] = [];
  for (const { 0: block, index } of text.matchAll(/\/\*\*?[^\S\n]?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*(?:\n\s*\/\/ .*)*/g)) {
    const line = text.slice(0, index).split('\n').length;
    const prose = block
      .replace(/^\/\*+|\*+\/$/g, '')
      .replace(/^[^\S\n]*(?:\*|\/\/) ?/gm, '')
      // An example is code, up to the next tag.
      .replace(/^@example[\s\S]*?(?=^@(?!example)|(?![\s\S]))/gm, blank)
      .replace(/@(?:param (?:\S+ )?|returns?|throws|see|typeParam \S+)|^[^\S\n]*- /gm, END);
    comments.push(...paragraphs(prose, line));
  }
  return comments.flatMap(sentencesOf);
}

/** The sentences of a Markdown page; each cell of a table and each item of a list is read by itself. */
export function pageSentences(text: string): Sentence[] {
  const prose = text
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(/^[^\S\n]*(?:[-*]|\d+\.|#+|>) /gm, END)
    .replace(/^\|.*$/gm, (row) => row.replaceAll('|', END));
  return paragraphs(prose, 1).flatMap(sentencesOf);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, '');
}

function paragraphs(text: string, line: number): Paragraph[] {
  const found: Paragraph[] = [];
  for (const { 0: part, index } of text.matchAll(/(?:(?!\n[^\S\n]*\n)[^\u2029])+/g)) {
    const from = index + part.length - part.trimStart().length;
    found.push({ text: part, line: line + text.slice(0, from).split('\n').length - 1 });
  }
  return found;
}

function sentencesOf({ text, line }: Paragraph): Sentence[] {
  return text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/`[^`]*`|\{@link [^}]*\}/g, 'CODE')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?][*)"”]*) (?=[*]*[A-Z("“[])/)
    .map((sentence) => ({ text: sentence.trim(), line }))
    .filter((sentence) => /[a-z]{2,} .*[a-z]{2,}/i.test(sentence.text));
}
