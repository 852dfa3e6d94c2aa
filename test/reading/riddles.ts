/**
 * The counter of riddles (docs/style.md). A riddle is a sentence with three or more empty places: places where a pronoun stands for a
 * noun and a clause hangs on it ("one that", "of which", "what it", "where it does"). The forms below are counted by themselves, so
 * "of what it was" has two. Code bases of others have 0 to 2 riddles in 1,000 sentences by this count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentSentences, pageSentences, type Sentence } from './sentences.ts';

const AUXILIARIES =
  'is|was|are|were|has|had|have|does|did|do|may|can|could|might|must|need|needs|will|would|should|says|said|stands|stood|lies|comes|came|goes|gone|takes|took|made|makes|keeps|kept';
const PREPOSITIONS =
  'of|in|to|by|for|from|under|with|at|on|over|after|before|about|behind|than|into|beside|upon|since|until|through|between|within';

const WITHOUT_NOUN = `(?= ?(?:[,;.:)]|$| (?:and|or|but|that|which|who|whom|whose|as|it|they|where|when|while|once|if|so|is|was|are|were|has|had|have|does|did|may|can|${PREPOSITIONS})\\b))`;

const EMPTY_PLACES: readonly RegExp[] = [
  /\bones? (?:that|which|who|whom|whose|it|they|he)\b|\bones? (?:of|in|by|to|from|under|for|at|on|with) (?:which|whom|whose|it|them|those|that)\b/gi,
  /\bthose (?:that|which|who|whom|whose|it|they|of|in|by|to|from|under|for|at|on|with|before|after|beside|between)\b/gi,
  /\bthat (?:of|which|whose)\b/gi,
  new RegExp(
    `\\bwhat(?:ever)? (?:it|they|he|she|one|that|this|those|these|there|none|nothing|each|${AUXILIARIES})\\b`,
    'gi',
  ),
  new RegExp(`\\b(?:${PREPOSITIONS}) (?:which|whom|whose|what)\\b`, 'gi'),
  new RegExp(`\\b(?:${PREPOSITIONS}) (?:it|them|him)\\b`, 'gi'),
  // "of one call" has its noun; "of one" and "of one that" have none.
  new RegExp(`\\b(?:${PREPOSITIONS}) (?:those|these|one|that|this|others?|another)\\b${WITHOUT_NOUN}`, 'gi'),
  /\b(?:where|as|whether|when|while|until|unless|because|so that|if|than) (?:it|they|one|there|those|that|this|none|he)\b/gi,
  /\bthat (?:it|they|he|one|there|those|these|this|that|none|nothing)\b/gi,
  /\b(?:which|whom|whose) (?:it|they|he|one|that|those)\b/gi,
  /\b(?:says?|said|is|was|are|were|do|does|did|been|known|holds?) so\b(?! (?:that|far|many|much))/gi,
  /\b(?:it|they|that|one|he|those|there|none) (?:is|was|are|were|has|had|have|does|did|do|can|may|said|says)(?= ?(?:[,;.:)]|$| (?:and|or|but)\b))/gi,
];

/** The number of empty places from which on a sentence is a riddle. */
const RIDDLE = 3;

/** The empty places of a sentence, in the order of the forms. */
export function emptyPlaces(sentence: string): string[] {
  return EMPTY_PLACES.flatMap((form) => sentence.match(form) ?? []);
}

/** True if a sentence has three empty places or more. */
export function isRiddle(sentence: string): boolean {
  return emptyPlaces(sentence).length >= RIDDLE;
}

/** The riddles of one file, and the number of its sentences. */
export interface Reading {
  readonly file: string;
  readonly sentences: number;
  readonly riddles: readonly Sentence[];
}

/** The pages that a program writes: nobody's prose. */
const GENERATED = ['docs/dart.md', 'docs/evidence.md'];

/** Reads every comment of src/ and every page of docs/ and docs/decisions/ that is written by hand, and the README. */
export function readAll(root: string): Reading[] {
  const code = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`);
  const pages = ['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  return [...code.sort(), 'README.md', ...pages.filter((page) => !GENERATED.includes(page)).sort()].map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const sentences = file.endsWith('.md') ? pageSentences(text) : commentSentences(text);
    return { file, sentences: sentences.length, riddles: sentences.filter((sentence) => isRiddle(sentence.text)) };
  });
}

/** The riddles in 1,000 sentences of some files. */
export function perThousand(readings: readonly Reading[]): number {
  const sentences = readings.reduce((sum, reading) => sum + reading.sentences, 0);
  const riddles = readings.reduce((sum, reading) => sum + reading.riddles.length, 0);
  return sentences === 0 ? 0 : (riddles / sentences) * 1_000;
}

/** The folder under which a file is counted: a folder of src/, or the folder of a page. */
export function folderOf(file: string): string {
  const parts = file.split('/');
  return file.startsWith('src/') ? parts.slice(0, 2).join('/') : parts.slice(0, -1).join('/') || '.';
}
