/** A folder of archives: a file for each run, durable before the run is deleted. */
import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Archive } from '../../workers/deleting.ts';

/** The longest part of a file's name that is of the run's name: with the rest, less than any system refuses. */
const LONGEST = 150;

/** The way into a folder, which is made where it is missing. A name that was used again does not replace the earlier run. */
export function archiveInto(folder: string): Archive {
  return async (run, lines) => {
    await mkdir(folder, { recursive: true });
    const unfinished = join(folder, `.${fileName(run)}.${process.pid}.part`);
    const file = await open(unfinished, 'w', 0o600);
    const digest = createHash('sha256');
    try {
      for await (const line of lines) {
        digest.update(line);
        await file.writeFile(line);
      }
      await file.sync();
    } catch (error) {
      await file.close();
      await rm(unfinished, { force: true });
      throw error;
    }
    await file.close();
    await rename(unfinished, join(folder, `${fileName(run)}.${digest.digest('hex').slice(0, 12)}.jsonl`));
    await synced(folder);
  };
}

/** The name of a run as part of a file's name: two runs may share one, and no file. */
function fileName(run: string): string {
  return encodeURIComponent(run).replaceAll('*', '%2A').slice(0, LONGEST);
}

async function synced(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
