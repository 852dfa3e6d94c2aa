/** Reports how long the tests of each folder took, in the last lines of a run. */
import { relative, sep } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** A file of tests, and the time that it took in its worker, in milliseconds. */
export interface FileTime {
  /** Its path inside test/. */
  readonly file: string;
  readonly time: number;
}

/** The times of folders, the longest first. Files are added up: two workers take half as long. */
export function folderTimes(files: readonly FileTime[]): string {
  const times = new Map<string, number>();
  for (const { file, time } of files) {
    const folder = file.includes('/') ? `${file.split('/', 1)[0]}/` : '(beside the folders)';
    times.set(folder, (times.get(folder) ?? 0) + time);
  }
  const lines = [...times].sort(([, a], [, b]) => b - a).map(([folder, time]) => [folder, seconds(time)] as const);
  const widest = Math.max(...lines.map(([, time]) => time.length));
  const all = files.reduce((sum, { time }) => sum + time, 0);
  return [
    `Time per folder, ${seconds(all)} in all workers:`,
    ...lines.map(([folder, time]) => `${time.padStart(widest + 2)}  ${folder}`),
    '',
  ].join('\n');
}

function seconds(time: number): string {
  return `${(time / 1_000).toFixed(1)} s`;
}

/** Prints the times. */
export default class FolderTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module): FileTime => {
      const { collectDuration, duration } = module.diagnostic();
      const file = relative(`${module.project.config.root}${sep}test`, module.moduleId);
      return { file: file.split(sep).join('/'), time: collectDuration + duration };
    });
    if (files.length > 0) process.stdout.write(`\n${folderTimes(files)}`);
  }
}
