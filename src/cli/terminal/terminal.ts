/** Prints words to a terminal: wrapped to its width, coloured if wanted, and without control sequences. */
import pc from 'picocolors';
import wrapAnsi from 'wrap-ansi';
import type { Outline } from '../../recovery/explain.ts';

/** The medium of a text: its width and colours. */
export interface Medium {
  /** The width to wrap to. */
  readonly columns: number;
  readonly colours: boolean;
  /** True to break a word that is longer than a line; otherwise it sticks out. */
  readonly breaks?: boolean;
}

/** True of a text of nothing but the characters that every terminal shows. */
export function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * Replaces characters that a terminal or a reader could take for more than text: controls, formatting characters, line
 * separators.
 */
export function printable(text: string): string {
  return isPlain(text)
    ? text
    : text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
        return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
      });
}

/**
 * Replaces characters of a finished text that a terminal could obey or that could mislead a reader: C1 controls,
 * formatting characters such as those of writing direction, line separators. They are written as JSON escapes, so that
 * a program reads the same string.
 */
export function inert(text: string): string {
  return text.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Formats an outline, indented by two more columns for each level; `place` stands before it, where there is one. */
export function layOut(place: string | null, outline: Outline, { columns, colours, breaks = false }: Medium): string {
  const { bold, yellow } = pc.createColors(colours);
  const out: string[] = [];
  const stack = [{ node: outline, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next;
    const label = node.label === undefined ? '' : `${(depth === 0 ? bold : yellow)(printable(node.label))}: `;
    const words = `${depth === 0 && place !== null ? `${printable(place)}: ` : ''}${label}${printable(node.text)}`;
    const indent = '  '.repeat(depth);
    const wrapped = wrapAnsi(words, Math.max(columns - indent.length - 2, 20), { hard: breaks, trim: true });
    out.push(indent + wrapped.replaceAll('\n', `\n${indent}  `));
    for (const child of (node.under ?? []).toReversed()) stack.push({ node: child, depth: depth + 1 });
  }
  return `${out.join('\n')}\n`;
}
