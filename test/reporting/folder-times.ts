/** Reports how long the tests of each folder took and which were skipped, in the last lines of a run. */
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

/** The files that have skipped tests; nothing where none has. @param files how many tests each skipped. */
export function skippedText(files: readonly { readonly file: string; readonly skipped: number }[]): string {
  const some = files.filter(({ skipped }) => skipped > 0).map(({ file }) => file);
  return some.length === 0
    ? ''
    : `SKIPPED, whole or in part: ${some.length} files. Each says what it needs: ${some.join(', ')}\n`;
}

function seconds(time: number): string {
  return `${(time / 1_000).toFixed(1)} s`;
}

/** Prints both. */
export default class FolderTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      const file = relative(`${module.project.config.root}${sep}test`, module.moduleId).split(sep).join('/');
      const skipped = [...module.children.allTests('skipped')].length;
      return { file, time: collectDuration + duration, skipped };
    });
    if (files.length > 0) process.stdout.write(`\n${folderTimes(files)}${skippedText(files)}`);
  }
}
