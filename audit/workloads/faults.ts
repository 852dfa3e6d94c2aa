/** Draws which attempts and queries fail, from a seed and for each one by itself, so that every policy meets the same faults. */
import { createHash } from 'node:crypto';

/** The fault at an attempt: none, a failure before anything happens, or one after it, with the reply lost. */
export type Fault = 'before' | 'after' | null;

/** The faults of one run: the nth attempt (from 0) at a change, by the name of the change. */
export type Faults = (change: string, attempt: number) => Fault;

/** A run without faults. */
export const NO_FAULTS: Faults = () => null;

/** Each attempt fails with a probability, half of them before the effect and half after it. */
export function faultsOf(seed: string, probability: number): Faults {
  return (change, attempt) => {
    const drawn = draw(`${seed}\n${change}\n${attempt}`);
    if (drawn >= probability) return null;
    return drawn < probability / 2 ? 'before' : 'after';
  };
}

/** The fault at a status query: it fails, or its source lags behind the call and says that it does not know yet. */
type QueryFault = 'fails' | 'lags' | null;

/** The faults of one run besides those of its changes. Each is drawn by the name of the call and the number of the attempt or query. */
export interface Weather {
  /** True where the nth attempt at a read fails. */
  read(name: string, nth: number): boolean;
  query(name: string, nth: number): QueryFault;
  /** Operations of the run that pass before the effect of a call lands whose reply is lost; 0 lands it before its error is told. */
  late(name: string, nth: number): number;
}

/** Reads and status queries that always answer, and effects that land at once. */
export const CALM: Weather = { read: () => false, query: () => null, late: () => 0 };

/** The conditions under which a task is run: which of its operations may fail, besides its changes. */
export const REGIMES = ['lost-replies', 'unreliable-answers', 'late-effects'] as const;
export type Regime = (typeof REGIMES)[number];

/** The latest that an effect lands, in operations. */
const LATEST = 4;

/** Draws the weather of a run. Reads and queries fail with the probability with which changes do; every second lost reply has a late effect. */
export function weatherOf(regime: Regime, seed: string, probability: number): Weather {
  const drawn = (what: string, name: string, nth: number) => draw(`${what}\n${seed}\n${name}\n${nth}`);
  switch (regime) {
    case 'lost-replies':
      return CALM;
    case 'unreliable-answers':
      return {
        ...CALM,
        read: (name, nth) => drawn('read', name, nth) < probability,
        query: (name, nth) => {
          const at = drawn('query', name, nth);
          if (at >= probability) return null;
          return at < probability / 2 ? 'fails' : 'lags';
        },
      };
    case 'late-effects':
      return {
        ...CALM,
        late: (name, nth) => {
          const at = drawn('late', name, nth);
          return at < 0.5 ? 0 : 1 + Math.floor((at - 0.5) * 2 * LATEST);
        },
      };
  }
}

/** A number from 0 to below 1 that a text stands for. */
export function draw(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
