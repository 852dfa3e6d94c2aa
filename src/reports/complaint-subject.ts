/**
 * The subject of a complaint from another process: the work as it stood when the complaint was made. A complaint is
 * about one version, and says nothing about a later version (semantics.md C12).
 */
import { type InstanceId, instanceName } from '../model/instance.ts';
import { overlaps, parseKey } from '../model/key.ts';
import type { RunState } from '../projection/run-state.ts';

/** The subject of a complaint. */
export interface ComplaintSubject {
  /** The occurrence that is meant: that of the complaint, or the only one. */
  readonly ordinal: number | undefined;
  /** Its state: which write stands, or else how often the work was put back. Equal where nothing of that has changed. */
  readonly about: string;
}

/** The subject of a complaint; null where no such work was ever begun. */
export function subjectOf(
  runState: RunState,
  { skeleton, entity, ordinal }: Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number | undefined },
  key: string | null,
): ComplaintSubject | null {
  const { history, epochs, occurrences } = runState;
  if (!occurrences.wasUsed(skeleton, entity, ordinal)) return null;
  const live = [...history.registry.all()].filter(({ id }) => id.skeleton === skeleton && id.entity === entity);
  const meant = ordinal === undefined ? live : live.filter(({ id }) => id.ordinal === ordinal);
  const [one, other] = meant;
  if (one === undefined) return { ordinal, about: 'undone' };
  if (other !== undefined) return { ordinal, about: 'several' };
  const wanted = key === null ? null : parseKey(key);
  const write = wanted && history.versions.firstWrite(one, (written) => overlaps(written, wanted));
  const about = write ? `write ${runState.originOf(write.at)}` : `epoch ${epochs.get(instanceName(one.id)) ?? 0}`;
  return { ordinal: one.id.ordinal, about };
}
