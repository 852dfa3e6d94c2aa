/** Tells where the time of some work goes, by a CPU profile of this process: the share of each room of the package, of xstate, of collecting garbage. */
import { Session } from 'node:inspector/promises';

/** The shares of one piece of work, the largest first, in percent. */
export type Shares = readonly (readonly [where: string, share: number])[];

const LEAST = 1;

/** Profiles some work. Its result is the share of each place in the time of the processor. */
export async function attributed(work: () => Promise<unknown>): Promise<Shares> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  let whole = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const place = places.get(id) ?? 'elsewhere';
    const time = profile.timeDeltas?.[index] ?? 0;
    if (place === 'idle') continue;
    whole += time;
    times.set(place, (times.get(place) ?? 0) + time);
  }
  return [...times].map(([place, time]) => [place, (100 * time) / whole] as const).sort((a, b) => b[1] - a[1]);
}

function placeOf({ functionName, url }: { readonly functionName: string; readonly url: string }): string {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'collecting garbage';
  const room = /\/(?:src|dist)\/([a-z]+)\/[^?]*$/.exec(url);
  if (url.includes('/node_modules/')) return /\/node_modules\/([^/]+)/.exec(url)?.[1] ?? 'libraries';
  if (url.includes('/bench/')) return 'the bench and its machine';
  return room?.[1] ?? 'Node';
}

/** The shares as one line. */
export function attribution(shares: Shares): string {
  const told = shares.filter(([, share]) => share >= LEAST);
  return told.map(([where, share]) => `${where} ${share.toFixed(0)} %`).join(', ');
}
