/** How words reach a terminal: wrapped to its width, coloured where it wants colour, and with nothing in them that it would obey. */
import pc from 'picocolors';
import wrapAnsi from 'wrap-ansi';
import type { Outline } from '../recovery/explain.ts';

/** Replaces what a terminal or a reader could take for more than text: controls, formatting characters, line separators. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
  });
}

/** Lays out an outline, two columns further in for each level. `columns` is the width of the terminal. */
export function layOut(outline: Outline, columns: number): string {
  const out: string[] = [];
  const stack = [{ outline, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { outline: node, depth } = next;
    const indent = '  '.repeat(depth);
    const hanging = depth === 0 ? '  ' : `${indent}  `;
    const plain = printable(node.text);
    const words =
      depth === 0
        ? plain.replace(/^[^:]*: \w+/, pc.bold)
        : node.code === undefined
          ? plain
          : `${pc.yellow(node.code)}: ${plain}`;
    const wrapped = wrapAnsi(words, Math.max(columns - hanging.length, 20), { hard: false, trim: true });
    out.push(indent + wrapped.replaceAll('\n', `\n${hanging}`));
    for (const child of (node.under ?? []).toReversed()) stack.push({ outline: child, depth: depth + 1 });
  }
  return `${out.join('\n')}\n`;
}
