/** Puts parts of generated machines into states of their own. */
import { type Block, firstOf } from './scenario.ts';

/** Some of the blocks in a state of their own: by the number of the last one, and not drawn, so that the machines of a seed stay as they were but for this. */
export function nested(blocks: readonly Block[]): readonly Block[] {
  const number = Number(firstOf(blocks.at(-1) as Block).slice(1));
  if (number % 3 !== 0) return blocks;
  const from = blocks.length > 1 ? number % 2 : 0;
  const names = { at: `n${number}`, key: `k${number}` };
  return [...blocks.slice(0, from), { block: 'nest', ...names, body: blocks.slice(from), rests: number % 4 < 3 }];
}
