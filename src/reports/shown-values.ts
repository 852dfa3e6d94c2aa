/** The values of a happening: as texts, without redacted parts. */
import { encode } from '../journal/codec.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { RunState } from '../projection/run-state.ts';

/** The members of a happening that come from values: they leave the process only where its user wants them to, and redacted. */
export interface Values {
  /** The instances that took part, by their names. */
  readonly instances?: readonly string[];
  readonly args?: string;
  readonly output?: string;
  readonly error?: string;
  /** The person who answered, and the reason. */
  readonly by?: string;
  readonly why?: string;
}

/** The longest text of a value. */
const LONGEST = 4_000;

/** A value as text, without what is redacted in any form that a codec gives it, and cut where it is long. */
export function shown(value: unknown, { codecs, redaction }: Pick<RunState, 'codecs' | 'redaction'>): string {
  const encoded = encode(value, { codecs });
  const told = 'text' in encoded ? encoded.text : `(no text: ${encoded.reason} at ${encoded.path.join('.')})`;
  const text = redaction.text(told);
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}...` : text;
}

/** The skeleton of an instance; null for none, and for the root. */
export function skeletonOf(id: InstanceId | null): string | null {
  return id === null || id.skeleton === ROOT ? null : id.skeleton;
}

/** The skeletons of instances, each once. */
export function skeletonsOf(all: readonly InstanceId[]): string[] {
  return [...new Set(all.flatMap((id) => skeletonOf(id) ?? []))];
}

/** The names of instances, but for roots. */
export function named(all: readonly (InstanceId | null)[], { redaction }: RunState): Values {
  const names = all.flatMap((id) => {
    if (id === null || id.skeleton === ROOT) return [];
    return [redaction.text(instanceName({ ...id, entity: redaction.text(id.entity) }))];
  });
  return names.length === 0 ? {} : { instances: names };
}

/** The values of what has none. */
export function none(): Values {
  return {};
}
