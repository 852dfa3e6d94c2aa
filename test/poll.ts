/** Waits of tests: for a condition, and for turns of the event loop. A busy machine makes both longer, and neither of them wrong. */

/** The longest wait for a condition, in milliseconds: only a hang reaches it. */
export const HANG = 300_000;

/** Waits until something holds; real time, in small steps. @throws Error where it never does. */
export async function until(holds: () => unknown, what: () => string = () => 'it', within = HANG): Promise<void> {
  const end = Date.now() + within;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never came to be: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * Lets everything that is ready happen. It counts turns and not time: a process that the machine lets wait has done as much by its end.
 * @param turns one at least; about as many milliseconds, on a machine that does nothing else.
 */
export async function calm(turns = 20): Promise<void> {
  for (let turn = 0; turn < Math.max(turns, 1); turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The result of some work that is to come. @throws Error that says what hangs, where it never comes. */
export async function unlessItHangs<T>(work: Promise<T>, what: () => string = () => 'it'): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it hangs: ${what()}`)), HANG);
  });
  try {
    return await Promise.race([work, never]);
  } finally {
    clearTimeout(timer);
  }
}
