/** The drafts of all agents, each made twice, compared with the frozen config, and reviewed by a script. */
import { readFileSync } from 'node:fs';
import { agents } from '../../domains/agents.ts';
import { type Compared, compared, reviewedByScript } from './compare.ts';
import { draftOf } from './draft.ts';

/** An agent's draft, compared, and the changes of the script. */
export interface Candidate extends Compared {
  readonly domain: string;
  /** The fields that the script took over, one after the other, until the draft was the frozen config. */
  readonly changes: number;
  readonly milliseconds: number;
  readonly isReviewed: boolean;
}

/** Has every config drafted. */
export function candidates(): readonly Candidate[] {
  return Object.values(agents).map(({ machine: { id }, config }) => {
    const [first, second, frozen] = [draftOf(id), draftOf(id), readFileSync(config, 'utf8')];
    return { domain: id, ...compared(first, second, frozen), ...reviewedByScript(first, frozen) };
  });
}
