/** Every dependency of a history, one by one (semantics.md K6). A decision follows some of them; a graph shows all. */
import type { Dependence } from '../model/veto.ts';
import type { History } from './history.ts';
import type { Access } from './key-tree.ts';

/** Yields each dependency between two instances, by producer in the order of entry. Costs every pair there is. */
export function* dependencies(history: History): Generator<Dependence> {
  for (const record of history.registry.all()) {
    for (const { at, started } of record.starts) {
      yield { kind: 'start', producer: record.id, consumer: started.id, step: at };
    }
    for (const write of history.versions.writesOf(record)) {
      for (const { reads, from, until } of history.versions.readsOf(write)) {
        for (const read of reads.slice(from, until)) {
          if (read.by !== record) yield readDependence(write, read);
        }
      }
    }
  }
}

/** The witness that a read depends on a write (K6). */
export function readDependence(write: Access, read: Access): Dependence {
  return {
    kind: 'read',
    producer: write.by.id,
    wrote: write.key.text,
    write: write.at,
    consumer: read.by.id,
    key: read.key.text,
    step: read.at,
  };
}
