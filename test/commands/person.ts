/** An honest person, who helps a run to its end: approves what waits, says what the world says, and does what a decision advises. */
import type { Decision } from '../../src/index.ts';
import type { Acting } from './acting.ts';
import type { Driver } from './driver.ts';

/** How a run ended. */
export type Ending = 'done' | 'parked' | 'stands still';

/** How often a person does something about a run, and how often it is started over: what is denied for good fails each time. */
const ROUNDS = 40;
const RERUNS = 2;

interface Patience {
  idle: number;
  reruns: number;
}

/** Helps until the run is done, or nothing helps any more. */
export async function helped(driver: Driver, acting: Acting): Promise<Ending> {
  Object.assign(driver.world, { knows: true, undoes: true });
  const patience = { idle: 0, reruns: RERUNS };
  for (let round = 0; round < ROUNDS && patience.idle < 3; round += 1) {
    await driver.quiet();
    if (driver.sidecar.status === 'done') return 'done';
    patience.idle = (await helpedOnce(driver, acting, patience)) ? 0 : patience.idle + 1;
  }
  await driver.quiet();
  if (driver.sidecar.status === 'done') return 'done';
  return driver.sidecar.status === 'parked' ? 'parked' : 'stands still';
}

async function helpedOnce(driver: Driver, acting: Acting, patience: Patience): Promise<boolean> {
  const { sidecar } = driver;
  if (driver.isStuck()) {
    await driver.restart();
    return true;
  }
  const before = driver.head;
  for (const { gate, asks, key } of sidecar.gates()) {
    if (asks === 'approval') await sidecar.answer(gate, 'approved', { by: 'Ada' });
    else await settle(driver, key);
  }
  if (driver.head > before) return true;
  if (sidecar.status !== 'parked') {
    sidecar.actor.send({ type: 'close' } as never);
    await driver.quiet();
    return driver.head > before;
  }
  const questions = driver.questions();
  for (const decision of questions) if (await followed(driver, acting, decision)) return true;
  if (patience.reruns > 0 && questions.some(({ verdict }) => verdict === 'rerun')) {
    patience.reruns -= 1;
    if (await rerun(driver)) return true;
  }
  if (patience.idle === 0) await sidecar.reconcile();
  else if (patience.idle === 1) await driver.restart();
  return false;
}

/** Carries out an act that a decision advises. @returns whether there was one. */
async function followed(driver: Driver, acting: Acting, decision: Decision): Promise<boolean> {
  if (!('unblock' in decision)) return false;
  for (const act of decision.unblock.acts) {
    if (act.act === 'settle_outcome' && act.effect.id !== null && (await settle(driver, act.effect.id))) return true;
    if (act.act === 'undo_by_hand' && act.effect.id !== null && (await undo(driver, act.effect.id))) return true;
    if (act.act === 'name_suspect' && (await named(driver, acting))) return true;
  }
  return false;
}

/** Says of which occurrence a complaint was that did not say it: of the first. */
async function named(driver: Driver, acting: Acting): Promise<boolean> {
  const unclear = acting.unclear.pop();
  if (unclear === undefined) return false;
  const act = acting.complaint({ skeleton: unclear.skeleton, entity: unclear.entity, ordinal: 0 }, undefined, false);
  act.before?.();
  const isTaken = await act.give(driver.sidecar).then(
    () => true,
    () => false,
  );
  act.after?.(isTaken, false);
  return isTaken;
}

async function settle({ sidecar, world }: Driver, key: string): Promise<boolean> {
  const truth = world.truth(key);
  const said = truth.is === 'applied' ? sidecar.settle(key, 'confirmed', truth.output) : sidecar.settle(key, 'failed');
  return said.then(
    () => true,
    () => false,
  );
}

async function undo({ sidecar, world }: Driver, key: string): Promise<boolean> {
  const act = world.standing(key);
  if (act !== undefined) act.stands = false;
  return sidecar.settle(key, 'compensated').then(
    () => true,
    () => {
      if (act !== undefined) act.stands = true;
      return false;
    },
  );
}

function rerun({ sidecar }: Driver): Promise<boolean> {
  return sidecar.rerun().then(
    () => true,
    () => false,
  );
}
