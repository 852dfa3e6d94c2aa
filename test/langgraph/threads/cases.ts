/** The small threads, what is found wrong in them, and where a process dies. */

/** The classes of the tools. */
const CLASSES = ['none', 'idempotent', 'reversible', 'irreversible'] as const;
export type Class = (typeof CLASSES)[number];

/** A node of the graph, which calls one tool. */
interface LittleNode {
  readonly class: Class;
  /** True where it reads the answer of the first node. */
  readonly reads: boolean;
  /** When a person is asked: before it calls, or by a node behind it. */
  readonly asks: 'never' | 'before' | 'behind';
}

/** A thread: its nodes, and the node that each turn leads to. */
export interface LittleThread {
  readonly nodes: readonly LittleNode[];
  readonly turns: readonly number[];
}

/** The settings of a thread: what it has said stands, or is rewritten with promises crossed or kept. */
export const SETTINGS = ['stands', 'rewritten', 'rewritten jointly'] as const;

/** A complaint: the turn whose answer was wrong, the turn in which that is found, and whether its call is under way then. */
export interface Complaint {
  readonly about: number;
  readonly during: number;
  readonly inFlight: boolean;
}

/** An act on the input of a turn, and when, as a complaint. */
export interface TurnAct extends Complaint {
  /** `blind`: the input says something else that nobody reads; `revise`: that the call is given; `elsewhere`: it leads to the other node. `reopen`: what the turn asked was never answered; `answer`: it was answered otherwise. */
  readonly does: 'retract' | 'revise' | 'blind' | 'elsewhere' | 'reopen' | 'answer';
}

/** One case. */
export interface Case {
  /** Left out where nobody says an input otherwise. */
  readonly act?: TurnAct;
  readonly thread: LittleThread;
  readonly setting: (typeof SETTINGS)[number];
  readonly complaint: Complaint | null;
  /** The append at which the process dies; null where it lives. */
  readonly dies: number | null;
}

/** All threads of two turns of one act: the same node twice, or two nodes of which the second may read the first. */
export function* ofTwoTurns(): Generator<LittleThread> {
  for (const first of CLASSES) {
    for (const asks of ['never', 'before', 'behind'] as const) {
      yield { nodes: [{ class: first, reads: false, asks }], turns: [0, 0] };
      for (const second of CLASSES)
        for (const reads of [false, true])
          yield {
            nodes: [
              { class: first, reads: false, asks: 'never' },
              { class: second, reads, asks },
            ],
            turns: [0, 1],
          };
    }
  }
}

/** A thread of three turns, drawn. */
export function ofThreeTurns(draw: (below: number) => number): LittleThread {
  const node = (nth: number): LittleNode => ({
    class: CLASSES[draw(CLASSES.length)] as Class,
    reads: nth > 0 && draw(2) === 1,
    asks: (['never', 'never', 'before', 'behind'] as const)[draw(4)] ?? 'never',
  });
  const turns = [0, draw(2), draw(3)].reduce<number[]>(
    (all, each) => [...all, Math.min(each, Math.max(-1, ...all) + 1)],
    [],
  );
  return { nodes: Array.from({ length: Math.max(...turns) + 1 }, (_, nth) => node(nth)), turns };
}

/** The complaints about each turn, while each turn behind it is under way or over; and none. */
export function complaintsAbout({ nodes, turns }: LittleThread): (Complaint | null)[] {
  const all: (Complaint | null)[] = [null];
  for (const [about] of turns.entries())
    for (let during = about; during < turns.length; during += 1) {
      all.push({ about, during, inFlight: false });
      // While its own turn is open, it has answered where a person is asked behind it.
      const isAnswered = nodes[turns[about] as number]?.asks === 'behind';
      if (during > about || isAnswered) all.push({ about, during, inFlight: true });
    }
  return all;
}

/** The acts on each turn, while each turn from there on is under way or over. */
export function actsOn({ nodes, turns }: LittleThread): TurnAct[] {
  const kinds = ['retract', 'revise', 'blind', ...(nodes.length > 1 ? (['elsewhere'] as const) : [])] as const;
  return turns.flatMap((node, about) =>
    turns.slice(about).flatMap((_, later) =>
      [true, false].flatMap((inFlight) => {
        const asks = nodes[node]?.asks;
        const isAnswered = asks === 'before' || (asks === 'behind' && (later > 0 || !inFlight));
        const all = [...kinds, ...(isAnswered ? (['reopen', 'answer'] as const) : [])];
        return all.map((does) => ({ about, during: about + later, inFlight, does }));
      }),
    ),
  );
}

/** The node that a turn leads to in the end. */
export function nodeOf(
  { thread: { nodes, turns }, act }: Pick<Case, 'thread' | 'act'>,
  turn: number,
  isChanged: boolean,
) {
  const node = turns[turn] as number;
  return isChanged && act?.does === 'elsewhere' && act.about === turn ? (node + 1) % nodes.length : node;
}

/** The name of a case, by which it is found again. */
export function nameOf({ thread, setting, complaint, act, dies }: Case): string {
  const nodes = thread.nodes.map(
    (node) => `${node.class}${node.reads ? '<n0' : ''}${{ never: '', before: '?', behind: '!' }[node.asks]}`,
  );
  const wrong =
    act !== undefined
      ? `turn ${act.about + 1} ${act.does} in ${act.during + 1}${act.inFlight ? ' in flight' : ''}`
      : complaint === null
        ? 'nothing wrong'
        : `turn ${complaint.about + 1} wrong in ${complaint.during + 1}${complaint.inFlight ? ' in flight' : ''}`;
  return `${nodes.join(' ')} / ${thread.turns.join('')} / ${setting} / ${wrong} / ${dies === null ? 'lives' : `dies at ${dies}`}`;
}

/** The case of a name. @throws Error for a text that names none. */
export function caseNamed(name: string): Case {
  const [nodes = '', turns = '', setting, wrong = '', dies = ''] = name.split(' / ');
  const thread = { nodes: nodes.split(' ').map(nodeNamed), turns: [...turns].map(Number) };
  const [, about, does, during, inFlight] = /^turn (\d) (\w+) in (\d)( in flight)?$/.exec(wrong) ?? [];
  const due = { about: Number(about) - 1, during: Number(during) - 1, inFlight: inFlight !== undefined };
  const named: Case = {
    thread,
    setting: setting as Case['setting'],
    complaint: does === 'wrong' ? due : null,
    ...(does !== undefined && does !== 'wrong' && { act: { ...due, does: does as TurnAct['does'] } }),
    dies: dies === 'lives' ? null : Number(dies.replace('dies at ', '')),
  };
  if (nameOf(named) !== name) throw new Error(`no case is named ${name}: copy a name from what the enumeration prints`);
  return named;
}

function nodeNamed(text: string): LittleNode {
  const [, effect = '', reads = '', mark = ''] = /^([a-z]+)(<n0)?([?!])?$/.exec(text) ?? [];
  const asks = mark === '?' ? 'before' : mark === '!' ? 'behind' : 'never';
  return { class: effect as Class, reads: reads !== '', asks };
}
