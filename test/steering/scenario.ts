/** One run of a program under the sidecar, with an act on GO at a moment, judged by the ends of plain xstate and by the world. */
import { memoryStore } from '../../src/index.ts';
import { tool } from '../../src/xstate/index.ts';
import { calm } from '../poll.ts';
import { run } from '../semantics/little.ts';
import { callsIn, configFor, endsOf, endText, machineFor, outputOf, type Program, type Words } from './programs.ts';

/** A scenario: who answers first, when GO is sent, and what is said about it when. */
export interface Scenario {
  readonly program: Program;
  /** The number of the call that answers each time, of those that wait. */
  readonly order: readonly number[];
  /** The number of answers before GO is sent, where a state takes it by then. */
  readonly sendAt: number;
  readonly act: 'revise' | 'retract';
  readonly to: number;
  /** The number of answers before the act. */
  readonly actAt: number;
  /** True where calls act as they are made, false where they act as they answer. */
  readonly actsAtOnce: boolean;
}

/** The result: `ok` or `idle` as a run of plain xstate may end or wait, `refused` likewise with the words that were sent, `none` where nothing was to be said. */
export type Verdict = 'ok' | 'refused' | 'parked' | 'none' | `unsafe: ${string}`;

interface Waiting {
  readonly name: string;
  answer(): void;
}

/** Plays a scenario. */
export async function play(scenario: Scenario): Promise<{ verdict: Verdict; why: string; again: number }> {
  const { program, order, sendAt, act, to, actAt, actsAtOnce } = scenario;
  const waiting: Waiting[] = [];
  /** The acts of the world, by the key under which they happened. */
  const acts = new Map<string, string>();
  const undone = new Set<string>();
  let asked = 0;
  const tools = Object.fromEntries(
    [...callsIn(program)].map(([name, { class: kind }]) => [
      name,
      tool(({ input, key, signal }: { input: unknown; key: string | undefined; signal: AbortSignal }) => {
        asked += 1;
        const output = outputOf(name, input);
        const does = () => {
          if (kind !== 'none') acts.set(key ?? '', output);
        };
        if (actsAtOnce) does();
        return new Promise<unknown>((resolve, reject) => {
          const answer = () => {
            does();
            resolve(output);
          };
          const one = { name, answer };
          waiting.push(one);
          signal.addEventListener('abort', () => {
            if (waiting.includes(one)) waiting.splice(waiting.indexOf(one), 1);
            reject(new Error('aborted'));
          });
        });
      }),
    ]),
  );
  const ask = ({ key }: { key: string }) =>
    acts.has(key) && !undone.has(key)
      ? { is: 'applied' as const, output: acts.get(key) }
      : { is: 'not_applied' as const };
  const it = await run(machineFor(program, tools), configFor(program), {
    journal: memoryStore(),
    undo: { un: ({ key }: { key: string }) => void undone.add(key) },
    reconcilers: { ask },
  } as never);
  const { sidecar, actor } = it;
  const isOver = () => sidecar.status === 'done' || sidecar.status === 'parked' || sidecar.status === 'stuck';
  const sent = new Set<string>();
  let [verdict, why] = ['none' as 'none' | 'done' | 'refused', ''];
  const can = (type: string) => (actor.getSnapshot() as unknown as { can(event: object): boolean }).can({ type, v: 1 });
  const says = async (type: 'GO' | 'OK', v: number) => {
    if (sent.has(type) || isOver() || !can(type)) return;
    sent.add(type);
    await sidecar.send({ type, v } as never, { id: type, by: type === 'GO' ? 'ada' : 'bob' });
    await calm(8);
  };
  for (let nth = 0; nth < 60; nth += 1) {
    await calm(8);
    if (isOver()) break;
    if (nth >= sendAt) await says('GO', 1);
    await says('OK', 9);
    if (nth >= actAt && verdict === 'none' && sent.has('GO') && !isOver()) {
      const how = { by: 'ada' };
      const answer = await (act === 'revise' ? sidecar.revise('GO', { v: to }, how) : sidecar.retract('GO', how));
      verdict = answer.is === 'refused' ? 'refused' : 'done';
      why = answer.why ?? '';
      await calm(8);
      if (isOver()) break;
    }
    if (waiting.length === 0) {
      await calm(12);
      if (waiting.length > 0 || isOver()) continue;
      if (nth < sendAt && !sent.has('GO')) continue;
      // Only what waits for its sender is left.
      const held = sidecar.events().find(({ is }) => is === 'taken_back');
      if (held === undefined) {
        if (verdict !== 'none' || nth > actAt) break;
        continue;
      }
      await sidecar.confirm(held.name, { by: held.by ?? '' });
      await calm(12);
      if (waiting.length === 0 && sidecar.events().some(({ is }) => is === 'taken_back')) break;
      continue;
    }
    waiting.sort((a, b) => (a.name < b.name ? -1 : 1));
    const [chosen] = waiting.splice(Math.min(order[nth] ?? 0, waiting.length - 1), 1);
    chosen?.answer();
  }
  await calm(12);
  const { status } = sidecar;
  const { value, context } = actor.getSnapshot() as unknown as { value: unknown; context: unknown };
  const standing = [...acts].filter(([key]) => !undone.has(key)).map(([, output]) => output);
  await sidecar.close();
  const result = (is: Verdict, because = why) => ({ verdict: is, why: because, again: asked });
  if (verdict === 'none') return result('none');
  if (status === 'parked' || status === 'stuck') return result('parked', `${why} ${status}`);
  const words: Words = verdict === 'refused' ? { v: 1 } : act === 'retract' ? null : { v: to };
  const end = endText(context, value, standing);
  const ends = endsOf(program, words);
  if (ends.has(end)) return result(verdict === 'refused' ? 'refused' : 'ok');
  return result(`unsafe: ${status === 'done' ? 'end' : 'idle'}`, `${why} ${end} is none of ${[...ends].join(' ')}`);
}
