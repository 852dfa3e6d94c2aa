/** The signals that stop a verb which goes on for ever. */

/** Resolves when the process is told to stop. Told twice, it stops at once, as in a crash. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let told = false;
    const onSignal = (by: NodeJS.Signals) => {
      if (told) process.exit(by === 'SIGINT' ? 130 : 143);
      told = true;
      resolve(by);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
}
