/** The small loops, what is found wrong in them, whose reply is lost, and where a process dies. */

/** The classes of the tools, which are named so. */
export const CLASSES = ['none', 'idempotent', 'reversible', 'irreversible'] as const;
export type Class = (typeof CLASSES)[number];

/** A turn: in each round the model is asked, and what it wants is called side by side. */
export type Turn = readonly (readonly Class[])[];

/** A complaint: the turn and the call whose answer was wrong, and when that is found: in which turn, and while what is under way. */
export interface Complaint {
  readonly about: number;
  readonly of: 'model' | 'act';
  readonly during: number;
  readonly while: 'model' | 'act' | 'over';
}

/** An act on the input of a turn: what it does, and when, as a complaint. */
export interface TurnAct extends Pick<Complaint, 'about' | 'during' | 'while'> {
  readonly does: 'revise' | 'retract';
  /** True where the model is asked the same whatever the inputs say. */
  readonly isBlind: boolean;
  /** True where the turns behind the one under way were left before the act, and wait. */
  readonly ahead?: true;
}

/** One case. */
export interface Case {
  readonly turns: readonly Turn[];
  readonly said: 'stands' | 'rewritten';
  readonly complaint: Complaint | null;
  /** Left out where nobody says an input otherwise. */
  readonly act?: TurnAct;
  /** The turn in which the reply of the first act is lost; null where none is. */
  readonly lost: number | null;
  /** `message`: turns are left for the run by another process; left out where the program itself hands them in. */
  readonly by?: 'message';
  /** `flow`: the same program as a flow, one step after the other; left out for a loop. */
  readonly as?: 'flow';
  /** True for a flow whose tools are said to read nothing: what its function asks with is in no key. */
  readonly isNarrow?: true;
  /** The append behind which a person pauses the run, and has it go on once nothing moves; left out where nobody does. */
  readonly pauses?: number;
  /** The append at which the process dies; null where it lives. */
  readonly dies: number | null;
}

/** All loops of two turns of one act. */
export function* ofTwoTurns(): Generator<readonly Turn[]> {
  for (const first of CLASSES) for (const second of CLASSES) yield [[[first]], [[second]]];
}

/** A loop of two or three turns, drawn: up to two rounds in a turn, and up to two acts in a round. */
export function drawn(draw: (below: number) => number): readonly Turn[] {
  const one = () => CLASSES[draw(CLASSES.length)] as Class;
  const round = () => Array.from({ length: 1 + draw(2) }, one);
  return Array.from({ length: 2 + draw(2) }, () => Array.from({ length: 1 + (draw(3) === 0 ? 1 : 0) }, round));
}

/** The complaints about each turn, while each turn behind it goes on or is over; and none. */
export function complaintsAbout(turns: readonly Turn[]): (Complaint | null)[] {
  const all: (Complaint | null)[] = [null];
  for (const [about] of turns.entries())
    for (const of of ['model', 'act'] as const)
      for (let during = about; during < turns.length; during += 1)
        for (const moment of ['model', 'act', 'over'] as const) {
          // While its own turn goes on, only the model has answered.
          const isAnswered = during > about || moment === 'over' || (of === 'model' && moment === 'act');
          if (isAnswered) all.push({ about, of, during, while: moment });
        }
  return all;
}

/** The name of a case, by which it is found again. */
export function nameOf({ turns, said, complaint, act, lost, dies, by, as, pauses, isNarrow }: Case): string {
  const text = turns.map((turn) => turn.map((round) => round.join('+')).join(',')).join(' / ');
  const wrong =
    act !== undefined
      ? `turn ${act.about + 1} ${act.does}${act.isBlind ? ' blind' : ''}${act.ahead ? ' ahead' : ''} in ${act.during + 1} ${act.while}`
      : complaint === null
        ? 'nothing wrong'
        : `${complaint.of} of turn ${complaint.about + 1} wrong in ${complaint.during + 1} ${complaint.while}`;
  const paused = pauses === undefined ? '' : ` | paused at ${pauses}`;
  return `${as === undefined ? '' : isNarrow ? 'narrow flow: ' : 'flow: '}${by === undefined ? '' : 'sent: '}${text} | ${said} | ${wrong} | ${lost === null ? 'all come back' : `lost in ${lost + 1}`}${paused} | ${dies === null ? 'lives' : `dies at ${dies}`}`;
}
