/** An honest person: approves what waits for an approval, and says of calls what the world says of them. */
import { isDeepStrictEqual } from 'node:util';
import { type Decision, SidecarError } from 'belay-sidecar';
import type { Sidecar } from 'belay-sidecar/xstate';
import { type Act, sleep, type World } from './world.ts';

/** Approves every call that waits for it. One that stands already, and whose answer the machine has not heard, is not another act. */
export function approve(sidecar: Sidecar, world: World): void {
  for (const { gate, asks, key, like } of sidecar.gates()) {
    // Of a call that may be the same act as another one a person says nothing before being told what it is.
    if (asks !== 'approval' || (like !== undefined && !world.asked.has(gate))) continue;
    const isSame = like !== undefined && isDeepStrictEqual(world.standing(like)?.args, world.asked.get(gate));
    const said = isSame ? sidecar.settle(key, 'confirmed') : sidecar.answer(gate, 'approved', { by: 'Ada' });
    void said.catch(() => {});
  }
}

/** Answers what is asked while a run stands still without being parked. @returns true where something was asked. */
export async function restless(sidecar: Sidecar, world: World): Promise<boolean> {
  const gates = sidecar.gates();
  approve(sidecar, world);
  for (const { asks, key } of gates) if (asks === 'outcome') await settle(sidecar, world, key).catch(() => {});
  return gates.length > 0;
}

/** Helps a parked run on. @returns false where there is nothing that a person can do. */
export async function help(
  sidecar: Sidecar,
  decision: Decision,
  world: World,
  round: number,
  tell: (text: string) => void,
): Promise<boolean> {
  for (let i = 0; i < 400 && world.inFlight > 0; i++) await sleep(2);
  if (!('unblock' in decision)) return false;
  let helped = false;
  const attempt = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    tell(`a person ${what}`);
    await act().then(
      () => {
        helped = true;
      },
      (error: unknown) => tell(`refused: ${String(error)}`),
    );
  };
  const { acts } = decision.unblock;
  for (const act of acts) {
    if (act.act === 'settle_outcome' && act.effect.id !== null) {
      const key = act.effect.id;
      await attempt(`settles ${key} as ${world.standing(key) === undefined ? 'failed' : 'confirmed'}`, () =>
        settle(sidecar, world, key),
      );
    }
    if (act.act === 'undo_by_hand' && act.effect.id !== null && act.effect.class !== 'irreversible') {
      const key = act.effect.id;
      await attempt(`undoes ${key} by hand`, () => undoByHand(sidecar, world, key));
    }
  }
  if (decision.verdict === 'rerun' && acts.length === 0) await attempt('starts the run over', () => sidecar.rerun());
  else if (!helped && round === 1) await attempt('has it asked again', () => sidecar.reconcile());
  return helped;
}

/** Takes an act back by hand and tells the run so. */
async function undoByHand(sidecar: Sidecar, world: World, key: string): Promise<void> {
  const standing = world.standing(key);
  if (standing !== undefined) {
    standing.stands = false;
    world.refuse(key);
    world.byHand.set(key, standing);
  }
  await tellUndone(sidecar, world, key);
}

/** Tells a run of all that was undone by hand and that no process has acknowledged. */
export async function tellAllUndone(sidecar: Sidecar, world: World): Promise<void> {
  for (const key of [...world.byHand.keys()]) await tellUndone(sidecar, world, key).catch(() => {});
}

/** The acts of which a process is being told, each once. One that is killed meanwhile never answers, and the next one is told. */
const telling = new WeakMap<Act, Sidecar>();

/** A run that has ended with the act does not take the word: then the act is put back. */
async function tellUndone(sidecar: Sidecar, world: World, key: string): Promise<void> {
  // It was done again under the same key since: that it is gone would be a lie.
  if (world.standing(key) !== undefined) {
    world.byHand.delete(key);
    return;
  }
  const undone = world.byHand.get(key);
  if (undone === undefined || telling.get(undone) === sidecar) return;
  telling.set(undone, sidecar);
  try {
    await sidecar.settle(key, 'compensated');
    world.byHand.delete(key);
  } catch (error) {
    const act = world.byHand.get(key);
    if (error instanceof SidecarError && act !== undefined) {
      world.byHand.delete(key);
      if (world.standing(key) === undefined) act.stands = true;
    }
    throw error;
  } finally {
    if (telling.get(undone) === sidecar) telling.delete(undone);
  }
}

/** Says what became of a call. What has not been applied by now is refused from then on. */
async function settle(sidecar: Sidecar, world: World, key: string): Promise<void> {
  const act = world.standing(key);
  world.refuse(key);
  if (act === undefined) await sidecar.settle(key, 'failed');
  else await sidecar.settle(key, 'confirmed', world.answer(act.tool, act.args));
}
