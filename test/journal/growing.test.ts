/** Lists that grow: what is stored of them is not gone through again, and what they are is read back. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryDecoder, EntryEncoder } from '../../src/journal/entry-codec.ts';
import type { Row, StoredRow } from '../../src/journal/journal.ts';
import type { Entry } from '../../src/model/entry.ts';
import { step } from './every-step.ts';

interface Message {
  role: string;
  content: string;
}

/** A run that journals a context and hands lists to calls. */
class Agent {
  readonly encoder = new EntryEncoder();
  readonly #decoder = new EntryDecoder();
  #seq = 0;

  #written<T extends Entry>(entry: T): T {
    const rows = this.encoder.rows(entry, (lost) => {
      throw new Error(JSON.stringify(lost));
    });
    return rows.map((row) => this.#read(row)).at(-1) as T;
  }

  #read(row: Row): unknown {
    this.#seq += 1;
    const stored: StoredRow = { ...row, seq: this.#seq, time: 0 };
    return this.#decoder.entry(stored);
  }

  /** Has a value at a place of its context. */
  keeps(path: readonly string[], value: unknown): void {
    this.#written({ ...step, edits: [{ op: 'set', path, value, by: [] }] });
  }

  /** The value of a call as its journal has it. */
  calls(output: unknown): unknown {
    return this.#written({ do: 'outcome', key: 'k', status: 'confirmed', output }).output;
  }
}

const message = (n: number): Message => ({ role: 'user', content: `${n} `.padEnd(300, 'x') });
/** A conversation of an agent whose context has it. */
function conversation(count: number, of = (n: number): Message => message(n)): { agent: Agent; messages: Message[] } {
  const agent = new Agent();
  const messages = Array.from({ length: count }, (_, n) => of(n));
  agent.keeps(['messages'], messages);
  agent.calls({ messages });
  return { agent, messages };
}

const SHORT = [0, -0, Number.NaN, undefined, null, '', 1];

/** Changes of a list. */
const CHANGES: Readonly<Record<string, (list: unknown[], n: number) => void>> = {
  add: (list, n) => void list.push(message(n)),
  'add one again': (list, n) => void list.push(list[n % Math.max(1, list.length)]),
  'add a short one': (list, n) => void list.push(SHORT[n % SHORT.length]),
  'put another in a place': (list, n) => {
    list[n % Math.max(1, list.length)] = n % 2 === 0 ? { role: 'other' } : SHORT[n % SHORT.length];
  },
  'put the same in a place': (list, n) => {
    list[n % Math.max(1, list.length)] = structuredClone(list[n % Math.max(1, list.length)]);
  },
  cut: (list, n) => void list.splice(n),
  'take one out': (list, n) => void list.splice(n, 1),
  'put one before all': (list) => void list.unshift({ role: 'system' }),
  'copy all': (list) => void list.splice(0, list.length, ...structuredClone(list)),
  'make a hole': (list, n) => void (n < list.length && delete list[n]),
};

describe('a list that grows', () => {
  test('has as many of its members looked into after 4,000 as after 400', () => {
    const lookedInto = (count: number) => {
      let looks = 0;
      const watched = (n: number) =>
        new Proxy(message(n), {
          getOwnPropertyDescriptor: (of, name) => {
            looks += 1;
            return Reflect.getOwnPropertyDescriptor(of, name);
          },
        });
      const { agent, messages } = conversation(count, watched);
      agent.calls([{ role: 'system' }, ...messages]);
      looks = 0;
      let now: readonly Message[] = messages;
      for (let turn = 0; turn < 10; turn += 1) {
        now = [...now, watched(count + turn)];
        agent.keeps(['messages', `${now.length - 1}`], now.at(-1));
        agent.calls({ messages: now });
        agent.calls([{ role: 'system' }, ...now]);
      }
      return looks;
    };
    const [few, many] = [lookedInto(400), lookedInto(4_000)];
    expect(many).toBeLessThan(few * 1.1);
  });

  test('is read back as it is after any change of it that makes another list, or another of its members', () => {
    const change = fc.tuple(fc.constantFrom(...Object.keys(CHANGES)), fc.nat(150));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.boolean(), (changes, isWithin) => {
        const { agent, messages } = conversation(100);
        let now: unknown[] = messages;
        for (const [name, n] of changes) {
          // In place, or as another list: both are seen.
          if (!isWithin) now = [...now];
          CHANGES[name]?.(now, n);
          agent.keeps(['messages'], [...now]);
          expect(agent.calls({ messages: now })).toStrictEqual({ messages: now });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a member that was changed in place', () => {
  const changed = (agent: Agent, messages: readonly Message[], at: number) => {
    (messages[at] as Message).content = 'changed'.padEnd(300, 'y');
    const seen: boolean[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const read = (agent.calls({ messages }) as { messages: Message[] }).messages;
      seen.push(read[at]?.content === messages[at]?.content);
    }
    return seen;
  };

  test('is seen at once where it is one of the last, or where the list is short', () => {
    for (const [count, at] of [
      [400, 390],
      [60, 3],
    ] as const) {
      const { agent, messages } = conversation(count);
      expect(changed(agent, messages, at)).not.toContain(false);
    }
  });

  test('is seen at once where no context has it', () => {
    const agent = new Agent();
    const messages = Array.from({ length: 400 }, (_, n) => message(n));
    agent.calls({ messages });
    expect(changed(agent, messages, 100)).not.toContain(false);
  });

  test('is seen at once with verify', () => {
    const agent = new Agent();
    agent.encoder.trust([], true);
    const messages = Array.from({ length: 400 }, (_, n) => message(n));
    agent.keeps(['messages'], messages);
    agent.calls({ messages });
    expect(changed(agent, messages, 100)).not.toContain(false);
  });

  test('is seen in its turn where it is an old one of a context, and stays seen', () => {
    const { agent, messages } = conversation(400);
    const seen = changed(agent, messages, 200);
    const first = seen.indexOf(true);
    expect(first).toBeLessThan(400 / 32);
    expect(seen.slice(first)).not.toContain(false);
  });
});
