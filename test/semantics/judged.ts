/**
 * A machine that writes a draft, mails it as its unit commits, tells of it and rests; a judge and a person look at each draft. For JU1 to JU6. The judge
 * of the course knows what was asked, said, mailed and told, and when, and no more.
 */
import { assign } from 'xstate';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { JudgedWork } from '../../src/model/judged-entries.ts';
import { type Sidecar, tool } from '../../src/xstate/index.ts';
import { loaded } from '../sidecar/loaded.ts';
import { VirtualTime } from '../virtual-time.ts';
import { context, Dying, value } from './dying.ts';
import { type Given, machineOf } from './little.ts';

export interface Case {
  /** What the judge says of the first draft; of each later one it says yes, but where the drafts are the same. */
  readonly says: 'yes' | 'no' | 'weak yes' | 'weak no' | 'throws' | 'garbage';
  /** True where each draft is the same. */
  readonly same: boolean;
  /** What a person says who is asked; `never`: the run is aborted instead. */
  readonly person: 'approves' | 'denies' | 'never';
  readonly weak: 'review' | 'reject';
  readonly reject: 'restore' | 'abort';
  /** True where the mail is held back for the commit; else none is sent. */
  readonly holds: boolean;
  /** What else comes, while a person is asked or else at the rest. */
  readonly comes: 'nothing' | 'complaint' | 'pause' | 'cancel';
  /** The append behind which the process dies; null where it lives. */
  readonly append: number | null;
}

class World {
  readonly faults: string[] = [];
  /** The drafts that the judge or a person let stand. */
  readonly accepted = new Set<string>();
  /** The drafts on which the journal has a verdict. */
  readonly judged = new Set<string>();
  readonly mails = new Map<string, string>();
  readonly tells = new Map<string, string>();
  asked = 0;
  drafts = 0;
  isDead = () => false;
  readonly #one: Case;

  constructor(one: Case) {
    this.#one = one;
  }

  async draft(): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.drafts += 1;
    return this.#one.same ? 'd1' : `d${this.drafts}`;
  }

  async grade({ outputs }: JudgedWork): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    const draft = String(outputs.draft);
    this.asked += 1;
    if (this.judged.has(draft)) this.faults.push(`${draft} was judged, and is asked about again`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const says = draft === 'd1' ? this.#one.says : 'yes';
    if (says === 'throws') throw new Error('the judge is away');
    if (says === 'garbage') return { ok: 'perhaps' };
    if (says === 'yes' && !this.isDead()) this.accepted.add(draft);
    return { ok: says.endsWith('yes'), sure: !says.startsWith('weak') };
  }

  async mail(key: string, text: string): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    if (!this.#one.holds) return key;
    this.#acts('mailed', text);
    this.mails.set(key, text);
    return key;
  }

  async tell(key: string, text: string): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.#acts('told', text);
    this.tells.set(key, text);
    return text;
  }

  #acts(how: string, text: string): void {
    if (!this.accepted.has(text)) this.faults.push(`${text} is ${how}, and nobody has let it stand`);
  }
}

const keeps = (key: string) => assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never);

function machine(world: World) {
  type Called = { input: unknown; key: string | undefined };
  const text = ({ input }: Called) => String((input as { text: unknown }).text);
  const calls = (src: string, writes: string, target: string) => ({
    invoke: {
      src,
      input: ({ context: at }: Given<unknown>) => ({ text: at.draft }),
      onDone: { target, actions: keeps(writes) },
    },
  });
  return machineOf(
    {
      draft: tool(() => world.draft()),
      mail: tool((call: Called) => world.mail(call.key ?? '', text(call))),
      tell: tool((call: Called) => world.tell(call.key ?? '', text(call))),
      grade: tool(({ input }: Called) => world.grade(input as JudgedWork)),
    },
    {
      initial: 'draft',
      states: {
        draft: calls('draft', 'draft', 'mail'),
        mail: calls('mail', 'mail', 'tell'),
        tell: calls('tell', 'told', 'rest'),
        rest: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );
}

const config = ({ weak, reject, holds }: Case) =>
  loaded(`belay: 1
agent: m
tools:
  draft: { reads: [], writes: [draft], effect: none }
  mail: { reads: [draft], writes: [mail], ${holds ? 'effect: compensable, undo: unmail, buffer: true, reconcile: find' : 'effect: none'} }
  tell: { reads: [draft], writes: [told], effect: compensable, undo: untell, reconcile: find }
  grade: { effect: none }
skeletons:
  WRITE:
    entity: '"it"'
    states: [draft, mail]
    entry: [draft]
    outputs: [draft]
    exit:
      - id: written
        at: mail -> tell
        when: memory.?draft.hasValue()
        judge: { by: grade, pass: event.output.ok, sure: event.output.sure, weak: ${weak}, reject: ${reject} }
    rollback: { anchors: [written], resume: draft, compensable: undo, joint: [TELL] }
  TELL:
    entity: '"it"'
    states: [tell]
    entry: [tell]
    inputs: [draft]
    outputs: [told]
    exit: [{ id: told, at: tell -> rest, when: memory.?told.hasValue() }]
    rollback: { anchors: [told], resume: tell, compensable: undo }
`);

const turns = async (many: number, until: () => boolean = () => false) => {
  for (let nth = 0; nth < many && !until(); nth += 1) await new Promise((resolve) => setTimeout(resolve, 50));
};

const OVER = ['done', 'cancelled', 'compensated'];
const BY = { by: 'ada' };

/** What became of a run. */
export interface Course {
  readonly status: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly processes: number;
  readonly appends: number;
}

/** One run, in the processes that it comes to. */
class Lives {
  readonly entries: Entry[] = [];
  processes = 0;
  readonly dying: Dying;
  readonly #one: Case;
  readonly #world: World;
  #last: Sidecar | null = null;
  #hasCome = false;
  #isPaused = false;

  constructor(one: Case, world: World) {
    this.#one = one;
    this.#world = world;
    const deaths = one.append === null ? [] : [{ append: one.append, when: 'after' as const }];
    this.dying = new Dying(machine(world), config(one), deaths, {
      now: () => Date.now(),
      undo: {
        unmail: ({ key }: { key: string }) => void world.mails.delete(key),
        untell: ({ key }: { key: string }) => void world.tells.delete(key),
      },
      reconcilers: { find: ({ key }: { key: string }) => this.#find(key) },
    });
    const decoder = new EntryDecoder();
    const drafts = new Map<string, string>();
    let seq = 0;
    this.dying.store.onRows = (rows) => {
      for (const row of rows) {
        seq += 1;
        const entry = decoder.entry({ ...row, seq, time: 0 } as never);
        if (entry === null) continue;
        this.entries.push(entry);
        if (entry.do === 'judging') drafts.set(entry.id, String(entry.work.outputs.draft));
        if (entry.do === 'judged') world.judged.add(drafts.get(entry.id) ?? '');
      }
    };
    world.isDead = () => this.dying.isDead;
  }

  #find(key: string) {
    const told = this.#world.tells.get(key);
    if (told !== undefined) return { is: 'applied', output: told };
    return this.#world.mails.has(key) ? { is: 'applied', output: key } : { is: 'not_applied' };
  }

  get last(): Sidecar {
    return this.#last as Sidecar;
  }

  async run(): Promise<void> {
    this.#last = await this.dying.attached();
    this.last.actor.start();
    void this.last.finished().catch(() => null);
    for (let nth = 0; nth < 40 && (this.dying.isDead || !OVER.includes(this.last.status)); nth += 1) {
      await turns(40, () => this.dying.isDead || this.#waits());
      if (this.dying.isDead) await this.#goesOn();
      else await this.#moves();
    }
  }

  #waits(): boolean {
    const { status } = this.last;
    if (OVER.includes(status) || ['parked', 'stuck', 'paused'].includes(status)) return true;
    return status !== 'cancelling' && (this.last.gates().length > 0 || value(this.last) === 'rest');
  }

  async #goesOn(): Promise<void> {
    await turns(10);
    this.dying.isDead = false;
    this.processes += 1;
    let isBack = false;
    const back = this.dying.resumed(this.last).finally(() => {
      isBack = true;
    });
    const next = await Promise.race([
      back.catch(() => null),
      turns(100, () => this.dying.isDead || isBack).then(() => null),
    ]);
    if (next === null && this.#isPaused) await this.#unpausesLeft();
    if (next === null) return;
    this.#last = next;
    void next.finished().catch(() => null);
  }

  /** A paused run is given back at once: the word that has it go on is a message. */
  async #unpausesLeft(): Promise<void> {
    this.#isPaused = false;
    const store = await this.dying.store.next('r');
    await store.post('r', JSON.stringify({ pause: false, by: 'ada', why: null }));
    this.dying.isDead = true;
    this.processes -= 1;
  }

  async #said<T>(word: Promise<T>): Promise<T | null> {
    return Promise.race([word.catch(() => null), turns(20, () => this.dying.isDead).then(() => null)]);
  }

  async #moves(): Promise<void> {
    const { status } = this.last;
    const [request] = this.last.requests();
    if (status === 'paused') {
      this.#isPaused = false;
      await this.#said(this.last.unpause(BY));
    } else if (request?.asks === 'outcome') await this.#said(this.last.settle(request.key, 'failed', undefined, BY));
    else if (request?.asks === 'review') await this.#reviews(request.gate, request.args as JudgedWork);
    else if (status === 'parked' || status === 'stuck') this.#aborts();
    else if (value(this.last) === 'rest') await this.#rests();
    await turns(4, () => this.dying.isDead);
  }

  /** Something else comes once. @returns true where it has come now. */
  async #comes(): Promise<boolean> {
    const { comes } = this.#one;
    if (this.#hasCome || comes === 'nothing') return false;
    this.#hasCome = true;
    if (comes === 'pause') {
      this.#isPaused = true;
      await this.#said(this.last.pause(BY));
    } else if (comes === 'cancel') void this.last.cancel(BY).catch(() => null);
    else {
      const instance = { skeleton: 'WRITE', entity: 'it', ordinal: 0 };
      void this.last.fail('CONTRACT_VIOLATION', { instance, key: 'draft' } as never).catch(() => null);
    }
    await turns(10, () => this.dying.isDead);
    return true;
  }

  async #reviews(gate: string, work: JudgedWork): Promise<void> {
    if (await this.#comes()) return;
    const { person } = this.#one;
    if (person === 'never') {
      this.#aborts();
      return;
    }
    if (person === 'approves') this.#world.accepted.add(String(work.outputs.draft));
    await this.#said(this.last.answer(gate, person === 'approves' ? 'approved' : 'denied', BY));
  }

  #aborts(): void {
    void this.last.cancel({ ...BY, undo: true }).catch(() => null);
  }

  async #rests(): Promise<void> {
    if (!(await this.#comes())) this.last.actor.send({ type: 'END' } as never);
    await turns(20, () => this.dying.isDead || this.#waits());
  }
}

/** Plays one case. */
export async function play(one: Case): Promise<Course> {
  return new VirtualTime().during(async () => {
    const world = new World(one);
    const lives = new Lives(one, world);
    await lives.run();
    const { entries, processes, last, dying } = lives;
    const found = context(last) as Course['context'];
    const course = { status: last.status, context: found, entries, world, processes, appends: dying.store.appends };
    await last.close();
    return course;
  });
}

/** True where the first draft is to be let stand, by the case alone. */
function stands({ says, person, weak }: Case): boolean {
  if (says === 'yes' || says === 'no') return says === 'yes';
  return weak === 'review' && person === 'approves';
}

/** What is wrong with the end of a run, by the world. */
export function faults({ status, context: at, world }: Course, one: Case): string[] {
  const found = [...world.faults];
  const mails = [...world.mails.values()];
  if (!OVER.includes(status)) found.push(`it never ends: ${status}`);
  if (status === 'done') {
    if (one.holds && (mails.length !== 1 || mails[0] !== at.draft))
      found.push(`it is done with ${at.draft}, and ${mails} stand`);
    const tells = [...world.tells.values()];
    if (tells.length !== 1 || tells[0] !== at.draft) found.push(`it is done with ${at.draft}, and has told ${tells}`);
    if (!world.accepted.has(String(at.draft))) found.push('it is done with what nobody has let stand');
  }
  if (status === 'compensated' && mails.length + world.tells.size > 0) found.push(`an abort leaves ${mails}`);
  const isReviewed = one.weak === 'review' && !['yes', 'no'].includes(one.says);
  const mayEnd = stands(one) || (!one.same && one.reject === 'restore' && !(isReviewed && one.person === 'never'));
  if (status !== 'done' && mayEnd && one.comes !== 'cancel') found.push(`it is ${status}, and a draft would stand`);
  return found;
}
