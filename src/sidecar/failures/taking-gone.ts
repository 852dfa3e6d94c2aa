/** Takes what the kin of a fork have undone of the common past as gone (semantics.md FK5, E8). */
import type { RunParts } from '../parts.ts';
import type { Recovering } from './recovering.ts';

interface Needs {
  readonly parts: Pick<RunParts, 'kin'>;
  readonly recovering: Pick<Recovering, 'settleEffect'>;
}

/** Looks at the kin of a fork. A call of the common past that a kin has undone takes the fork back to before that call. */
export async function takeGone({ parts, recovering }: Needs): Promise<void> {
  for (const key of await parts.kin.look()) await recovering.settleEffect(key, 'compensated');
}
