/** Runs something and says how much work it was, in milliseconds: how busy the machine is with others is no matter. */
export function timed<T>(run: () => T): [T, number] {
  const start = process.cpuUsage();
  const value = run();
  return [value, process.cpuUsage(start).user / 1_000];
}
