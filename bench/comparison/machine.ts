/** The machine of a run, as its tables name it. */
import { cpus, loadavg } from 'node:os';

/** Its processors, its Node, and how busy it was before the run: figures of a busy machine are noise. */
export function machineText(): string {
  const [load = 0] = loadavg();
  return `${cpus().length} × ${cpus()[0]?.model ?? 'a processor'}, Node ${process.versions.node}, load average ${load.toFixed(1)} when it began`;
}
