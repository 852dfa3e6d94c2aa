/** A call whose intent is durable, and that its pools may have refused meanwhile (semantics.md ER10). */
import type { GuardedCall, GuardPort } from './guarded-call.ts';

/** True where the pools have what a call was admitted for; else the try is over, and has not left. */
export async function hasRoom(port: GuardPort, { pools }: GuardedCall, key: string, before: boolean): Promise<boolean> {
  if (pools === undefined || (await pools.has(key))) return true;
  const never = {
    do: 'outcome',
    key,
    status: 'failed',
    error: 'another call was faster: its pool has no room',
  } as const;
  port.append([...pools.back(key), ...(before ? [] : [never])]);
  return false;
}
