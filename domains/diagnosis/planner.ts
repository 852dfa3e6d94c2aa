/** The decisions that the agent asks its planner for, and the script that makes them. */
import { scripted as follows, line, type Question } from '../planner/planner.ts';
import {
  type Followed,
  HYPOTHESES,
  type Hypothesis,
  type Repair,
  type Symptom,
  VERDICTS,
  type Verdict,
} from './incident.ts';

const hypothesis = { enum: HYPOTHESES } as const;

/** By how much more a quota is raised at a time. */
const INCREMENT = 40;

/** The hypotheses to follow, from the symptoms of the service. */
export const plan: Question<{ symptoms: readonly Symptom[] }, readonly Hypothesis[]> = {
  name: 'plan',
  asks: 'A service shows `symptoms`: what each of its endpoints answers. Answer with the hypotheses to follow, each once: `config` where the port refuses, `lock` and then `quota` for orders that are locked, `quota` for orders over quota, `certificate` for accounts, `queue` for jobs.',
  answer: { type: 'array', items: hypothesis, uniqueItems: true },
};

/** The judgement of a hypothesis, from its observations and the judgement of the one before it. */
export const judge: Question<Evidence, Verdict> = {
  name: 'judge',
  asks: 'Judge a hypothesis by its `readings`: `confirmed` where one of them is not fine, and where there is a `probe`, only if that has freed the queue; `inconclusive` where one says nothing (`fine` is null), unless the hypothesis before it is confirmed, which hides it; else `ruled_out`.',
  answer: { enum: VERDICTS },
};

/** The facts behind the judgement of a hypothesis. */
export interface Evidence extends Omit<Followed, 'verdict'> {
  readonly hypothesis: Hypothesis;
  readonly before: Verdict | null;
}

/** The repairs to make, from the judgement of each hypothesis that was followed. */
export const repair: Question<{ verdicts: Readonly<Partial<Record<Hypothesis, Verdict>>> }, readonly Repair[]> = {
  name: 'repair',
  asks: `Answer with one repair for each confirmed hypothesis of \`verdicts\`, in their order. The quota is raised \`by\` ${INCREMENT}; for all others \`by\` is null.`,
  answer: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['cause', 'by'],
      properties: { cause: hypothesis, by: { type: ['integer', 'null'], minimum: 1 } },
    },
  },
};

/** The text of the notice to the customers. */
export const word: Question<{ service: string; causes: readonly Hypothesis[] }, string> = {
  name: 'word',
  asks: 'Write one sentence that tells customers that the service works again, and what was the matter.',
  answer: { type: 'string', minLength: 1, maxLength: 500 },
};

/** The hypotheses that each answer of the port suggests. */
const SUSPECTS: Readonly<Record<string, readonly Hypothesis[]>> = {
  refused: ['config'],
  locked: ['lock', 'quota'],
  'over quota': ['quota'],
  'no good certificate': ['certificate'],
  stuck: ['queue'],
};

/** A planner that goes by the book: it looks for what it sees, and repairs what it has found. */
export const scripted = follows([
  line(plan, ({ symptoms }) => {
    const suspects = new Set(symptoms.flatMap(({ says }) => SUSPECTS[says] ?? []));
    return HYPOTHESES.filter((each) => suspects.has(each));
  }),
  line(judge, ({ readings = {}, probe, before }): Verdict => {
    const seen = Object.values(readings);
    if (before !== 'confirmed' && seen.some(({ fine }) => fine === null)) return 'inconclusive';
    return seen.some(({ fine }) => fine === false) && probe?.freed !== false ? 'confirmed' : 'ruled_out';
  }),
  line(repair, ({ verdicts }) =>
    HYPOTHESES.filter((each) => verdicts[each] === 'confirmed').map((cause) => ({
      cause,
      by: cause === 'quota' ? INCREMENT : null,
    })),
  ),
  line(word, ({ service, causes }) => `${service} works again; the matter was: ${causes.join(', ')}.`),
]);
