/** The list of mutants does not rot: each rule has one, and the text that each replaces is in the source exactly once. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutated } from './lab.ts';
import { RULES } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const TEXTS = new Map(FILES.map((name) => [name, readFileSync(`${SRC}${name}`, 'utf8')]));

test.each(RULES)('%s has a mutant', (rule) => {
  expect(MUTANTS.some((mutant) => mutant.rule === rule)).toBe(true);
});

test.each(MUTANTS.map((mutant) => [mutant.rule, mutant.off, mutant] as const))(
  '%s, %s: is in src once',
  (_, __, mutant) => {
    const others = FILES.filter((name) => TEXTS.get(name)?.includes(mutant.find));
    expect(others).toEqual([mutant.file]);
    const text = TEXTS.get(mutant.file) ?? '';
    expect(mutated(text, mutant)).not.toBe(text);
  },
);
