/** The plain config held against a machine, and the findings in one line each. */
import { fromPromise, setup } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { load } from './config.ts';

export const work = fromPromise(async () => null);
const actors = { work, other: work, hidden: work };
export const busy = { invoke: { src: 'work', onDone: 'DONE' } };
export const states = { IDLE: { on: { go: 'BUSY' } }, BUSY: busy, DONE: {} };

/** A machine with id m: its states are those given, instead of IDLE, BUSY and DONE. */
export function machine(given: object = {}, more: object = {}) {
  return machineShape(
    setup({ actors }).createMachine({ id: 'm', initial: 'IDLE', states: { ...states, ...given }, ...more } as never),
  );
}

/** What is said about the plain config, with one text in place of another, against a machine. */
export function lint(shape: ReturnType<typeof machine> | null, from = '', to = '') {
  const { config, document, findings } = load(from, to);
  if (config === null) throw new Error(findings.map(({ message }) => message).join('; '));
  return lintConfig(config, document, shape);
}

export const said = (...args: Parameters<typeof lint>) => {
  return lint(...args).map(
    ({ line, column, severity, code, message }) => `${line}:${column} ${severity} ${code} ${message}`,
  );
};

/** What the plain config is always told: nobody writes its input. */
export const always = '10:14 note input_unprovided nothing that is declared writes "in"';
