/** One signal for several, for as long as a function runs: no listener is left behind on signals that live longer. */
export async function underEither<T>(
  signals: readonly AbortSignal[],
  act: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const stop = () => either.abort();
  for (const signal of signals)
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  try {
    return await act(either.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
  }
}
