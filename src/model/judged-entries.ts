/** The entries of judges: a boundary waits for a verdict, and the verdict (semantics.md JU1, JU2). */
import type { InstanceId } from './instance.ts';

/** The longest reason of a judge, in UTF-16 units; of a longer one, the beginning is kept. */
export const LONGEST_REASON = 1_000;

/** What a judge is asked. */
export interface JudgedWork {
  /** The unit of work, by its skeleton, and what it is about. */
  readonly unit: string;
  readonly entity: string;
  /** The values of the keys that the boundary promises, by their texts; keys outside of the context have none. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The calls that leave once the boundary certifies, in the order of their intents. */
  readonly calls: readonly { readonly tool: string; readonly args: unknown }[];
}

/** A boundary has certified whose commit waits for a verdict. */
export interface JudgingEntry {
  readonly do: 'judging';
  /** Names the version that is judged: a digest over the boundary, its judge, and what the judge is asked. */
  readonly id: string;
  readonly instance: InstanceId;
  /** The actor whose step it is. */
  readonly actor: number;
  readonly boundary: string;
  /** The number of the boundary's event in the history. */
  readonly at: number;
  /** The tool that judges. */
  readonly tool: string;
  readonly work: JudgedWork;
}

/** A verdict on a version, by its judge or by a person. */
export interface JudgedEntry {
  readonly do: 'judged';
  readonly id: string;
  /** `weak`: a person is asked. */
  readonly is: 'accepted' | 'weak' | 'rejected';
  /** The answer of the judge; null where it has given none, or where a person has answered. */
  readonly pass: boolean | null;
  readonly why: string | null;
  /** The key that is found wrong; null where the whole unit is. */
  readonly found: string | null;
  /** The person who has decided; null for the judge. */
  readonly by: string | null;
}
