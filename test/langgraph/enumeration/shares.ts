/** Runs an enumeration in several processes: a case takes the timers of its process, and is the work of one core. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Counts, type Enumeration, type EnumerationOptions, together } from './enumerate.ts';

/** News of the process of a share: the graph that it comes to, with its counts until then, or its result. */
export type Told =
  | ({ readonly is: 'at'; readonly graph: string } & Progress)
  | { readonly is: 'done'; readonly result: Enumeration };

/** The counts so far, of one process or of all. */
export type Progress = Pick<Counts, 'graphs' | 'cases' | 'wrong' | 'hang'>;

type Shared = Omit<EnumerationOptions, 'share' | 'onCase' | 'onGraph'>;

/** Runs the cases in so many processes. @throws Error where one of them ends without its result. */
export async function enumerateIn(
  jobs: number,
  options: Shared,
  onProgress: (progress: Progress) => void,
): Promise<Enumeration> {
  const at: Progress[] = Array.from({ length: jobs }, () => ({ graphs: 0, cases: 0, wrong: 0, hang: 0 }));
  const sum = (of: keyof Progress) => at.reduce((all, each) => all + each[of], 0);
  const shares = at.map((_, number) =>
    inProcess({ ...options, share: { number, of: jobs } }, (progress) => {
      at[number] = progress;
      onProgress({ graphs: sum('graphs'), cases: sum('cases'), wrong: sum('wrong'), hang: sum('hang') });
    }),
  );
  return together(await Promise.all(shares));
}

function inProcess(options: Shared & Pick<EnumerationOptions, 'share'>, onProgress: (progress: Progress) => void) {
  const child = fork(fileURLToPath(new URL('share.ts', import.meta.url)));
  let graph = 'its first graph';
  const result = new Promise<Enumeration>((resolve, reject) => {
    child.on('message', (told: Told) => {
      if (told.is === 'done') resolve(told.result);
      else {
        graph = told.graph;
        onProgress(told);
      }
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`a process ended at ${graph}, with ${signal ?? code}`)));
  });
  child.send(options);
  return result;
}
