/** The side of a forked process: it answers one request after the other, and ends when the one that asks is gone. */

/** Answers requests with what the function returns, or with the error that it throws. */
export function answering<T>(answer: (asked: T) => Promise<unknown>): void {
  process.on('message', (asked: T) => {
    answer(asked).then(
      (told) => process.send?.({ told }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : `${error}` }),
    );
  });
  process.on('disconnect', () => process.exit());
}
