/**
 * The world that the commands' machines act upon, and all that the judge knows of it. Its counterparties are honest: an act lies under the
 * key of its call, one that is said not to have happened never happens later, and an answer that was found wrong is corrected.
 */
import { isDeepStrictEqual } from 'node:util';
import { NotApplied, type ReconcileResult, type ToolCall } from '../../src/index.ts';

/** What a tool is called with: what the call is about, and what it has read. */
export type Called = { readonly for: string } & Readonly<Record<string, unknown>>;

/** The tools that change nothing, and those that act. */
export const LOOKS = ['look', 'check', 'quote', 'draft'] as const;
export const ACTS = ['pay', 'note', 'book', 'order', 'ask', 'tell', 'mail'] as const;
export type ToolName = (typeof LOOKS)[number] | (typeof ACTS)[number];

/** Something that was done. `site` is the decision that it was done for: the tool, and the thing that it is about. */
export interface Act {
  readonly site: string;
  readonly tool: ToolName;
  readonly args: Called;
  readonly key: string;
  readonly answer: string;
  stands: boolean;
}

/** A call that goes wrong, once, at its site. */
export interface Fault {
  readonly site: string;
  /** `lost`: it acts, and its reply is lost. `broken`: it breaks off before it acts. `refused`: it says that nothing happened. `late`: it
   * acts once its timeout is over. */
  readonly does: 'lost' | 'broken' | 'refused' | 'late';
}

/** A call that has left, and has not acted yet. */
interface Attempt {
  readonly key: string;
  isRefused: boolean;
}

/** The timeout that configs give their tools, and how long a late call takes, in milliseconds. */
export const TIMEOUT = 25;
const LATE = 40;

const turn = () => new Promise((resolve) => setImmediate(resolve));
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The site of a call. */
function siteOf(tool: ToolName, args: Called): string {
  return `${tool} ${args.for}`;
}

/** The world of one run. */
export class World {
  readonly acts: Act[] = [];
  /** What was done twice for one decision, in words. */
  readonly twice: string[] = [];
  /** True while counterparties answer when they are asked. */
  knows = true;
  /** True while undos work. */
  undoes = true;
  /** Calls, undos and questions that are under way. */
  busy = 0;
  /** Grows with all that happens here. */
  activity = 0;
  readonly #faults: Fault[];
  readonly #revisions = new Map<string, number>();
  readonly #attempts = new Set<Attempt>();
  readonly #undone = new Set<string>();

  constructor(faults: readonly Fault[]) {
    this.#faults = [...faults];
  }

  /** The answer at a site, as it is today. */
  answer(site: string): string {
    return `${site} r${this.#revisions.get(site) ?? 0}`;
  }

  /** An answer was found wrong: the next one is another. */
  correct(site: string): void {
    this.#revisions.set(site, (this.#revisions.get(site) ?? 0) + 1);
  }

  /** Answers a call that changes nothing. */
  look(tool: ToolName, { input }: ToolCall<Called>): Promise<string> {
    return this.#under(async () => {
      await turn();
      const site = siteOf(tool, input);
      const fault = this.#take(site);
      if (fault === 'late') await sleep(LATE);
      if (fault === 'broken' || fault === 'refused' || fault === 'lost') throw new Error('the line is down');
      return this.answer(site);
    });
  }

  /** Carries a call out. */
  act(tool: ToolName, { input, key }: ToolCall<Called>): Promise<string> {
    return this.#under(async () => {
      const attempt: Attempt = { key: key ?? 'none', isRefused: false };
      this.#attempts.add(attempt);
      try {
        await turn();
        const site = siteOf(tool, input);
        const fault = this.#take(site);
        if (fault === 'late') await sleep(LATE);
        if (fault === 'refused' || attempt.isRefused) throw new NotApplied('the counterparty refuses');
        if (fault === 'broken') throw new Error('the line is down');
        const answer = this.#lands(tool, site, input, attempt.key);
        await turn();
        if (fault === 'lost') throw new Error('the reply was lost');
        return answer;
      } finally {
        this.#attempts.delete(attempt);
      }
    });
  }

  #lands(tool: ToolName, site: string, args: Called, key: string): string {
    this.activity += 1;
    const answer = this.answer(site);
    const standing = this.acts.find((act) => act.site === site && act.stands);
    if (standing !== undefined) {
      // An idempotent counterparty knows its keys, and says what is right today.
      const isSame = standing.key === key && isDeepStrictEqual(standing.args, args);
      if (!isSame || !IDEMPOTENT.has(tool)) this.twice.push(`${site}: ${standing.key} stands, and ${key} is done`);
      if (isSame) standing.stands = false;
    }
    this.acts.push({ site, tool, args, key, answer, stands: true });
    return answer;
  }

  /** Says what became of a call, for good. */
  ask(key: string): ReconcileResult {
    this.activity += 1;
    if (!this.knows) return { is: 'unknown' };
    return this.truth(key);
  }

  /** What became of a call: what has not been done by now never will be. */
  truth(key: string): { is: 'applied'; output: string } | { is: 'not_applied' } {
    const act = this.standing(key);
    if (act !== undefined) return { is: 'applied', output: act.answer };
    for (const attempt of this.#attempts) if (attempt.key === key) attempt.isRefused = true;
    return { is: 'not_applied' };
  }

  /** The act that stands under a key. */
  standing(key: string): Act | undefined {
    return this.acts.find((act) => act.key === key && act.stands);
  }

  /** Takes an act back; the same undo key is one undo. */
  undo(key: string, undoKey: string): Promise<void> {
    return this.#under(async () => {
      await turn();
      if (!this.undoes) throw new Error('no refunds today');
      if (this.#undone.has(undoKey)) return;
      this.#undone.add(undoKey);
      const act = this.standing(key);
      if (act !== undefined) act.stands = false;
    });
  }

  async #under<T>(work: () => Promise<T>): Promise<T> {
    this.busy += 1;
    this.activity += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
      this.activity += 1;
    }
  }

  #take(site: string): Fault['does'] | null {
    const index = this.#faults.findIndex((fault) => fault.site === site);
    return index === -1 ? null : ((this.#faults.splice(index, 1)[0] as Fault).does ?? null);
  }
}

/** The tools whose counterparties know a key again. */
const IDEMPOTENT: ReadonlySet<ToolName> = new Set<ToolName>(['note', 'ask']);
