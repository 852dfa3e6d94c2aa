/**
 * What a run owes: a finding and an event once it is due, a question at the end, and the answers of people
 * (semantics.md OB4 to OB7).
 */
import type { Alarm } from '../../clock/clock.ts';
import { overAt } from '../../effects/messages/mandates.ts';
import type { Decision } from '../../model/decision.ts';
import { escalated } from '../../model/decision.ts';
import type { Entry } from '../../model/entry.ts';
import { DUE_EVENT, type ObligationAnswer } from '../../model/obligation-entries.ts';
import { type OwedAct, obligationsIn, owedActs } from '../../reports/obligations.ts';
import type { RuntimeEvent } from '../../runtime/microstep.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Raised, RunParts } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';
import type { Messages } from './messages.ts';

/** The longest wait before the clock is looked at again, in milliseconds. */
const LOOK = 60_000;

/** The surroundings of what a run owes. */
interface OwingPort {
  readonly parts: RunParts;
  readonly write: Pick<Writing, 'append' | 'durable' | 'broken' | 'together'>;
  readonly runtime: Runtime;
  readonly actors: Pick<Actors, 'at'>;
  readonly deliveries: Pick<Deliveries, 'isHolding'>;
  readonly events: Pick<Messages, 'take' | 'offer' | 'known'>;
  readonly recovering: { park(raised: Raised, decision: Decision): void; askAgain(): Promise<void> };
}

/** A person's word for an obligation. */
export interface ObligationWord {
  readonly as: ObligationAnswer;
  readonly by: string;
  readonly why: string | null;
}

/** The obligations of one run. */
export class Owing {
  readonly #port: OwingPort;
  #alarm: Alarm | undefined;
  /** True while something is overdue that the machine was not told of. */
  isWaiting = false;

  constructor(port: OwingPort) {
    this.#port = port;
    const { lifecycle } = port.parts;
    for (const question of ['plan', 'deliver'] as const) lifecycle.whenever(question, () => this.begin());
  }

  /** The wall clock at which the next obligation is due; null where none is to come. */
  get next(): number | null {
    if (this.#port.parts.runState.obligations.isEmpty) return null;
    const over = this.#over;
    const due = owedActs(this.#port.parts.runState).flatMap((act) =>
      act.due === null || act.overdue ? [] : [act.due],
    );
    if (over !== null) due.push(over);
    return due.length === 0 ? null : Math.min(...due);
  }

  /**
   * The wall clock at which the mandate is over; the keeper of an obligation leaves no more after that; null for never
   * (OB7).
   */
  get #over(): number | null {
    const { runState, now } = this.#port.parts;
    const { valid } = runState.mandates;
    const at = valid === null || owedActs(runState).length === 0 ? Number.POSITIVE_INFINITY : overAt(valid.terms);
    return Number.isFinite(at) && at > now() ? at : null;
  }

  /** Tells of each overdue obligation, and sets the alarm for the next one. */
  begin(): void {
    const { parts, write } = this.#port;
    const { runState, lifecycle, now } = parts;
    if (runState.obligations.isEmpty || write.broken !== null) return;
    this.#alarm?.cancel();
    if (lifecycle.leave.aborted || runState.ended !== null) return;
    const owed = owedActs(runState);
    const over = owed.filter(({ due }) => due !== null && due <= now());
    // A plan may take back what keeps an obligation, and have it made again.
    if (lifecycle.may('plan')) this.#tell(over.filter(({ overdue }) => !overdue).flatMap(overdueEntries));
    this.look();
    if (lifecycle.may('deliver')) this.#send(over);
    const { next } = this;
    if (next !== null) this.#alarm = parts.after(Math.min(Math.max(1, next - now()), LOOK), () => this.begin(), false);
  }

  /** Asks a person about each obligation that no call may keep any more, as the run stands (OB7). */
  look(): void {
    const { parts, write } = this.#port;
    const { obligations, asked, ended } = parts.runState;
    // What is owed where a person ends the run, the end names.
    if (obligations.isEmpty || write.broken !== null || ended !== null || asked.cancelled !== null) return;
    this.#tell(this.#keepers(owedActs(parts.runState)));
  }

  /** Appends an entry that may hold calls back; in the same commit asks a person about owed obligations (OB7). */
  beside(append: () => void): void {
    this.#port.write.together(() => {
      append();
      this.look();
    });
  }

  /** Takes leave of the run. */
  stop(): void {
    this.#alarm?.cancel();
  }

  #tell(entries: readonly Entry[]): void {
    const { parts, write } = this.#port;
    if (entries.length === 0) return;
    write.append(entries);
    void write.durable().catch(() => {});
    for (const entry of entries) if (entry.do === 'finding') parts.onFinding(entry);
  }

  /** What has changed of who could keep what is owed (OB7). */
  #keepers(owed: readonly OwedAct[]): readonly Entry[] {
    return owed.flatMap((act): Entry[] => {
      const why = this.#whyUnkept(act);
      if (why === act.unkept) return [];
      const { name, instance } = act;
      const entry: Entry = { do: 'obligation', is: 'unkept', name, why };
      if (why === null) return [entry];
      const text = `${name} is owed, and ${why}: settle it, or have it kept in another way`;
      return [entry, { do: 'finding', code: 'no_keeper', instance, text }];
    });
  }

  #whyUnkept({ keptBy }: OwedAct): string | null {
    const { config, runState, now, callable } = this.#port.parts;
    if (!config.tools.has(keptBy)) return `the config has no tool ${keptBy} that would keep it`;
    if (callable?.has(keptBy) === false) return `the machine has no actor ${keptBy} that would keep it`;
    const { over, last } = runState.mandates;
    if (over !== null || (last !== null && overAt(last.terms) <= now()))
      return `the run has no mandate under which ${keptBy} could leave`;
    const { paused } = runState.asked;
    return paused === null ? null : `the run is paused by ${JSON.stringify(paused.by)}, so that ${keptBy} cannot leave`;
  }

  /** Has the machine receive that something is overdue, where a state takes it; once for each obligation. */
  #send(over: readonly OwedAct[]): void {
    const { runtime, actors, deliveries, events } = this.#port;
    const root = actors.at(0);
    this.isWaiting = false;
    if (root === undefined || runtime.machines === null) return;
    for (const { name, key, keptBy, due } of over) {
      const id = idOf(name);
      const event = { type: DUE_EVENT, obligation: name, key, nth: Number(name.slice(key.length + 1)), keptBy, due };
      if (events.known(id) !== undefined) continue;
      this.isWaiting = true;
      if (deliveries.isHolding) continue;
      if (runtime.machines.takers(root, event as RuntimeEvent).length === 0) continue;
      events.take(null, { event, at: null, by: null, id });
      events.offer();
    }
  }

  /** True for an event that says an obligation is due and that the sidecar has not sent. */
  isForged(event: RuntimeEvent): boolean {
    if (event.type !== DUE_EVENT) return false;
    const known = this.#port.parts.runState.received.get(idOf(String(event.obligation)));
    return known === undefined || known.step !== null || known.is === 'refused';
  }

  /** Parks a run at its end that owes something (OB4). @returns true where it owes nothing. */
  clear(again: () => void): boolean {
    const { parts, recovering } = this.#port;
    const owed = owedActs(parts.runState);
    const [first] = owed;
    if (first === undefined) return true;
    const error = new Error(
      `the run is at its end, and owes ${owed.map(({ name, keptBy }) => `${name} (${keptBy})`).join(', ')}`,
    );
    const decision = escalated(
      { failed: first.instance, at: parts.runState.history.head, policy: parts.decisionPolicy.policy },
      owed.map(({ name, keptBy, due, instance }) => {
        return { code: 'obligation_owed', candidate: null, instance, obligation: name, tool: keptBy, due } as const;
      }),
      owed.map(({ name, keptBy }) => ({ act: 'settle_obligation', obligation: name, tool: keptBy }) as const),
    );
    const failure = { in: first.instance, key: null };
    recovering.park({ signal: 'CONTRACT_VIOLATION', error, actor: 0, failure, call: null, again }, decision);
    return false;
  }

  /**
   * Takes a person's word for an obligation.
   * @param heard makes the entry of the message that tells it.
   * @throws SidecarError `bad_settlement` where nothing of that name is owed.
   */
  async answer(name: string, { as, by, why }: ObligationWord, heard?: () => Entry): Promise<void> {
    const { parts, write, recovering } = this.#port;
    const act = obligationsIn(parts.runState).find((one) => one.name === name);
    const refused = act === undefined ? 'no call has taken it on' : whyNotAnswered(act);
    if (refused !== null) throw new SidecarError('bad_settlement', `${name} cannot be said to be ${as}: ${refused}`);
    write.append([...(heard === undefined ? [] : [heard()]), { do: 'obligation', is: 'answered', name, as, by, why }]);
    await write.durable();
    this.begin();
    await recovering.askAgain();
  }
}

/** True for a person's word about an obligation, and not about a call. */
export function isAnswer(status: string): status is ObligationAnswer {
  return status === 'kept' || status === 'released' || status === 'broken';
}

/** The id of the event that says an obligation is due: no sender can give it. */
function idOf(name: string): string {
  return `@0:${name}`;
}

function overdueEntries({ name, instance, keptBy }: OwedAct): Entry[] {
  const text = `${name} was due, and no call of ${keptBy} has kept it`;
  return [
    { do: 'obligation', is: 'overdue', name },
    { do: 'finding', code: 'obligation_overdue', instance, text },
  ];
}

/** Says why a person has nothing to say of an obligation; null where it is owed. */
function whyNotAnswered({ is, by }: OwedAct): string | null {
  switch (is) {
    case 'owed':
    case 'unsaid':
      return null;
    case 'void':
      return 'the call that takes it on did not happen, or was undone';
    case 'kept':
    case 'released':
    case 'broken':
      return `it is ${is}${by === null ? '' : ` by ${by}`}`;
  }
}
