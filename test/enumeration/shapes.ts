/**
 * Lists the shapes with at most three tools and two regions, mirror images once, and reads their text: `n0; n1` is a sequence, `if k0 {...} else {...}` a
 * branch, `loop {...}` two passes, `par {... | ...}` two regions, `child {...}` a child machine, `unit {...}` calls of one skeleton, `X` an event, `n1*` an own retry.
 */
import type { Part } from './little-machine.ts';

/** The shapes by family. */
export const SHAPES: Readonly<Record<string, readonly string[]>> = {
  sequence: ['n0', 'n0; n1', 'n0; n1; n2'],
  branch: [
    'n0; if k0 {n1}',
    'n0; if k0 {n1} else {n2}',
    'n0; if k0 {n1} else {n1}',
    'n0; if k0 {n1}; n2',
    'n0; if k0 {n1} else {n1}; n2',
    'n0; if k0 {n1; n2}',
    'n0; n1; if k0 {n2}',
    'n0; n1; if k1 {n2}',
    'n0; if k0 {n1; n2} else {n2}',
  ],
  loop: [
    'loop {n0}',
    'loop {n0}; n1',
    'n0; loop {n1}',
    'loop {n0; n1}',
    'loop {n0; if k0 {n1}}',
    'n0; loop {n1}; n2',
    'n0; loop {n1; n2}',
    'loop {n0; n1}; n2',
  ],
  parallel: ['par {n0 | n1}', 'par {n0 | n1}; n2', 'n0; par {n1 | n2}; X', 'par {n0; n1 | n2}'],
  'branch in a region': [
    'par {n0; if k0 {n1} | n2}',
    'n0; par {if k0 {n1} | n2}',
    'par {n0 | n1; if k0 {n2}}',
    'n0; if k0 {par {n1 | n2}} else {n1}',
  ],
  child: [
    'child {n0}',
    'child {n0}; n1',
    'n0; child {n1}',
    'n0; child {n1}; n2',
    'child {n0; n1}',
    'child {n0; n1}; n2',
    'n0; child {n1; n2}',
    'par {child {n0} | n1}; n2',
    'n0; par {child {n1} | n2}',
  ],
  event: [
    'n0; X',
    'n0; X; n1',
    'n0; X; n1; n2',
    'n0; n1; X; n2',
    'par {n0; X | n1}; n2',
    'n0; if k0 {X; n1}',
    'X; n0; n1',
  ],
  unit: ['unit {n0; n1}', 'unit {n0; n1}; n2', 'n0; unit {n1; n2}', 'par {unit {n0; n1} | n2}'],
  retry: ['n0*', 'n0; n1*', 'n0*; n1', 'n0; n1*; n2', 'par {n0* | n1}; n2'],
};

/** Reads the text of a shape. */
export function parseShape(text: string): Part {
  const words = text.match(/[a-z]\d?\*?[a-z]*|[{}|;X]/g) ?? [];
  let at = 0;
  const take = (word: string): void => {
    if (words[at++] !== word) throw new Error(`"${text}": expected ${word}, found ${words[at - 1]}`);
  };
  const block = (): Part => {
    take('{');
    const inner = sequence();
    take('}');
    return inner;
  };
  const sequence = (): Part => {
    const parts = [item()];
    while (words[at] === ';') {
      at += 1;
      parts.push(item());
    }
    return parts.length === 1 ? (parts[0] as Part) : { is: 'sequence', parts };
  };
  const item = (): Part => {
    const word = words[at++] ?? '';
    if (word === 'X') return { is: 'wait' };
    if (word === 'loop') return { is: 'loop', body: block() };
    if (word === 'unit') return { is: 'unit', body: block() };
    if (word === 'child') return { is: 'child', body: block() };
    if (word === 'if') return branch(words[at++] as string);
    if (word === 'par') return parallel();
    return { is: 'call', tool: word.replace('*', ''), retry: word.endsWith('*') };
  };
  const branch = (key: string): Part => {
    const yes = block();
    if (words[at] !== 'else') return { is: 'branch', key, yes, no: null };
    at += 1;
    return { is: 'branch', key, yes, no: block() };
  };
  const parallel = (): Part => {
    take('{');
    const left = sequence();
    take('|');
    const right = sequence();
    take('}');
    return { is: 'parallel', left, right };
  };
  const whole = sequence();
  if (at !== words.length) throw new Error(`"${text}": ${words[at]} is left over`);
  return whole;
}
