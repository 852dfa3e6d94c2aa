/** The interruptions of each agent: what is said otherwise, when, by whom, and with the calls under way made or not. */
import type { Said } from './drive.ts';
import type { Fixture } from './fixtures.ts';
import type { Script } from './runs.ts';

/** The three kinds of the taxonomy that reference 001 hands down. */
export const KINDS = ['addition', 'revision', 'retraction'] as const;

/** One of them. */
export type Kind = (typeof KINDS)[number];

/** Who says it: who sent the event, another person, or the program, which gives no name. */
const SPEAKERS = ['sender', 'other', 'program'] as const;

/** One of them. */
export type Speaker = (typeof SPEAKERS)[number];

/** The name of the event that is revised or retracted; `input` for the request itself. */
type Target = 'input' | 'word' | 'ok';

/** One interruption, at every step of a run. */
export interface Plan {
  readonly kind: Kind;
  /** The type of the event: `input`, `APPROVE`, or a word of the agent. */
  readonly about: string;
  readonly target: Target;
  readonly by: Speaker;
  /** The run that is interrupted, and the run that was told from the beginning. */
  readonly script: Script;
  readonly told: Script;
  /** The members of the event from here on; null where it is retracted. */
  readonly to: Readonly<Record<string, unknown>> | null;
  /** The number of answers by the event; null for the approval, which is said where it is waited for. */
  readonly from: number | null;
}

const SENDER = 'ada';
const APPROVER = 'bob';

/** The name by which each speaker acts on an event of a sender. */
export function nameOf(by: Speaker, target: Target): { readonly by?: string } {
  if (by === 'program') return {};
  return { by: by === 'other' ? 'eve' : target === 'ok' ? APPROVER : SENDER };
}

const said = (type: string, says: object, at: number): Said => ({
  at,
  event: { type, ...says },
  id: 'word',
  by: SENDER,
});
const approve = (yes: boolean) => ({ event: { type: 'APPROVE', yes }, id: 'ok', by: APPROVER });

/** The revisions and the retractions of an agent. */
export function plansOf({ input, inputs, words }: Fixture): readonly Plan[] {
  const base: Script = { input, said: [], approval: approve(true) };
  const ofInput = inputs.map((more): Plan => {
    const told = { ...base, input: { ...input, ...more } };
    return { kind: 'revision', about: 'input', target: 'input', by: 'program', script: base, told, to: more, from: 0 };
  });
  const ofWords = words.flatMap(({ type, at, says, anew }) => {
    const script = { ...base, said: [said(type, says, at)] };
    const common = { about: type, target: 'word', script, from: at } as const;
    const revised = { ...common, kind: 'revision', told: { ...base, said: [said(type, anew, at)] }, to: anew } as const;
    const retracted = { ...common, kind: 'retraction', told: base, to: null } as const;
    return SPEAKERS.flatMap((by): Plan[] => [
      { ...revised, by },
      { ...retracted, by },
    ]);
  });
  const ok = { about: 'APPROVE', target: 'ok', script: base, from: null } as const;
  const denied = { ...ok, kind: 'revision', told: { ...base, approval: approve(false) }, to: { yes: false } } as const;
  const never = { ...ok, kind: 'retraction', told: { ...base, approval: null }, to: null } as const;
  const ofApproval = SPEAKERS.flatMap((by): Plan[] => [
    { ...denied, by },
    { ...never, by },
  ]);
  return [...ofInput, ...ofWords, ...ofApproval];
}

/** The addition of each word of an agent at a moment. */
export function additionsAt({ input, words }: Fixture, at: number): readonly Plan[] {
  const script: Script = { input, said: [], approval: approve(true) };
  return words.map(({ type, says }): Plan => {
    const told = { ...script, said: [said(type, says, at)] };
    return { kind: 'addition', about: type, target: 'word', by: 'sender', script, told, to: says, from: at };
  });
}
