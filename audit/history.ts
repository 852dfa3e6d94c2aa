/** The history of a trace, for another question about it. */
import { History, traceReader } from 'belay-sidecar';

/** Folds a trace. */
export function historyOf(trace: readonly string[]): History {
  const read = traceReader();
  const history = new History();
  for (const text of trace) {
    const line = read(text);
    if (line.do === 'event') history.apply(line.event);
  }
  return history;
}
