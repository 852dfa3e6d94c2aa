/** Lays words out for a terminal: wrapped to its width, and coloured if wanted. */
import pc from 'picocolors';
import wrapAnsi from 'wrap-ansi';
import type { Outline } from '../../recovery/explain.ts';
import { printable } from './printable.ts';

/** The medium of a text: its width and colours. */
export interface Medium {
  /** The width to wrap to. */
  readonly columns: number;
  readonly colours: boolean;
  /** True to break a word that is longer than a line; otherwise it sticks out. */
  readonly breaks?: boolean;
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
