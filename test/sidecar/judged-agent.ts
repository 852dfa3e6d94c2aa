/** An office that writes a draft, mails it once its unit commits, and tells of it; a judge looks at the draft. */
import { assign } from 'xstate';
import type { JudgedWork } from '../../src/model/judged-entries.ts';
import { tool } from '../../src/xstate/index.ts';
import { type Given, machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';

/** The answers of the judge. */
export type Answering = (work: JudgedWork) => unknown;

const keeps = (key: string) => assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never);

export class Office {
  /** What the judge was asked. */
  readonly asked: JudgedWork[] = [];
  readonly mailed: unknown[] = [];
  readonly told: unknown[] = [];
  drafts = 0;
  /** True where each draft is the same. */
  isSame = false;
  readonly undo = { tear: () => {} };
  readonly #answers: Answering;

  constructor(answers: Answering) {
    this.#answers = answers;
  }

  /**
   * @param initial `idle` for a machine that begins at the event GO.
   * @param instead states in place of those of the office.
   */
  machine(initial: 'idle' | 'draft' = 'draft', instead: object = {}) {
    const text =
      (key: string) =>
      ({ context }: Given<unknown>) => ({ text: context[key] });
    return machineOf(
      {
        draft: tool(async () => {
          this.drafts += 1;
          return this.isSame ? 'same' : `draft${this.drafts - 1}`;
        }),
        mail: tool(async ({ input }: { input: unknown }) => {
          this.mailed.push((input as { text: unknown }).text);
        }),
        tell: tool(async ({ input }: { input: unknown }) => {
          this.told.push((input as { text: unknown }).text);
        }),
        grade: tool(async ({ input }: { input: unknown }) => {
          this.asked.push(input as JudgedWork);
          return this.#answers(input as JudgedWork);
        }),
      },
      {
        initial,
        states: {
          idle: { on: { GO: 'draft' } },
          draft: { invoke: { src: 'draft', onDone: { target: 'mail', actions: keeps('draft') } } },
          mail: { invoke: { src: 'mail', input: text('draft'), onDone: 'tell' } },
          tell: { invoke: { src: 'tell', input: text('draft'), onDone: 'end' } },
          end: { type: 'final' },
          ...instead,
        },
      },
    );
  }
}

/** The config of the office. @param more further fields of the judge. */
export function judgedConfig(more = '') {
  const also = more === '' ? '' : `, ${more}`;
  return loaded(`belay: 1
agent: m
tools:
  draft: { reads: [], writes: [draft], effect: reversible, undo: tear }
  mail: { reads: [draft], writes: [], effect: irreversible, buffer: true }
  tell: { reads: [draft], writes: [], effect: irreversible }
  grade: { reads: [], writes: [], effect: none, timeout: 2s }
skeletons:
  WRITE:
    entity: '"it"'
    states: [draft, mail]
    entry: [draft]
    outputs: [draft]
    exit:
      - id: told
        at: mail -> tell
        when: memory.?draft.hasValue()
        judge:
          { by: grade, pass: event.output.ok, sure: '!has(event.output.sure) || event.output.sure', why: event.output.why, found: event.output.found${also} }
    rollback: { anchors: [told], resume: draft }
`);
}
