/** Asks counterparties about calls whose outcome is open, and never guesses (semantics.md E2). */
import type { See, Tool } from '../../boundaries/config.ts';
import { LONGEST_WAIT } from '../../boundaries/page/time.ts';
import { rulesOf } from '../../boundaries/version-rules.ts';
import type { Reconciler } from '../../effects/counterparty.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { IntentEntry } from '../../model/call-entries.ts';
import { isOpen } from '../../model/effect.ts';
import type { Entry } from '../../model/entry.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { RunParts, Writer } from '../parts.ts';
import { broughtAs } from '../registered.ts';
import { argsOf } from './args.ts';
import { billed } from './billing.ts';
import { isExpired } from './expired.ts';
import { cameBack, onceBack } from './left-behind.ts';
import type { Look } from './revalidating.ts';
import type { Sandboxes } from './sandboxes.ts';

/** The factor by which each further question to a counterparty waits longer. */
const FACTOR = 5;
/**
 * The longest wait for the next question that is waited out at once, in milliseconds: what takes longer is asked later.
 */
const AT_ONCE = 1_000;
/**
 * The longest wait for a call without a timeout that this process has under way since it gave the run back, in
 * milliseconds.
 */
const PATIENCE = 1_000;

/** A counterparty that can be asked, and how its tool wants it asked. */
interface Counterparty {
  readonly reconciler: Reconciler;
  readonly asking: Tool['asking'];
}

/** The reconciling of one run's calls. */
export class Reconciling {
  readonly #parts: RunParts;
  readonly #write: Writer;
  /** The calls already reported as calls that another process may still make. */
  readonly #told = new Set<string>();
  /** The calls whose return is waited for beside everything else. */
  readonly #expected = new Set<string>();
  #onReturn: () => void = () => {};

  readonly #lookFor: (instance: InstanceId, signal: AbortSignal) => Look;

  readonly #sandboxes: Sandboxes;

  /** @param by `lookFor` makes second looks on account of an instance. */
  constructor(
    parts: RunParts,
    write: Writer,
    by: { readonly lookFor: (instance: InstanceId, signal: AbortSignal) => Look; readonly sandboxes: Sandboxes },
  ) {
    this.#parts = parts;
    this.#write = write;
    this.#lookFor = by.lookFor;
    this.#sandboxes = by.sandboxes;
  }

  /** @param listen called once a call that was left behind has come back and its answer is known. */
  whenReturned(listen: () => void): void {
    this.#onReturn = listen;
  }

  /**
   * A call that came back with an error, once its counterparty was asked what became of it: a machine hears of no error
   * before.
   */
  async outcome(key: string | null): Promise<LedgerCall | undefined> {
    if (key === null) return undefined;
    await this.reconcile(key);
    return this.#parts.runState.ledger.get(key);
  }

  /**
   * Asks the counterparty of a call whose outcome is open, as often as its tool says and with longer and longer waits.
   * What is left for later than at once stays for later.
   * @param now asks once at least, whatever has been asked before: a run that is taken up, a person who wants to know.
   * @returns the wall clock of the next question, or null where the outcome is known or no question is left.
   */
  async reconcile(key: string, now = false): Promise<number | null> {
    const call = this.#parts.runState.ledger.get(key);
    await this.#waitForReturn(call);
    const counterparty = this.#counterpartyOf(call);
    if (counterparty === null) return null;
    const ends = this.#parts.activity.begin();
    try {
      return await this.#reconcile(key, counterparty, now);
    } finally {
      ends();
    }
  }

  async #reconcile(key: string, counterparty: Counterparty, now: boolean): Promise<number | null> {
    const { ledger } = this.#parts.runState;
    for (let owed = now; !this.#parts.lifecycle.leave.aborted; owed = false) {
      const call = ledger.get(key);
      if (call === undefined || !isOpen(call.status)) return null;
      if (call.asked.tries >= counterparty.asking.tries && !owed) return null;
      const wait = owed ? 0 : (call.asked.next ?? 0) - this.#parts.now();
      if (wait > AT_ONCE) return call.asked.next;
      if (wait > 0) await this.#parts.pause(wait);
      if (!(await this.#askOnce(call, counterparty))) return null;
    }
    return null;
  }

  /** Asks the counterparty of an open call once, whatever was asked before: a person is about to settle the call. */
  async askNow(key: string): Promise<void> {
    const call = this.#parts.runState.ledger.get(key);
    await this.#waitForReturn(call);
    const counterparty = this.#counterpartyOf(call);
    if (call === undefined || counterparty === null || !isOpen(call.status)) return;
    await this.#askOnce(call, counterparty);
  }

  /** True if there is a counterparty to ask about a call. */
  canAsk(key: string): boolean {
    return this.#counterpartyOf(this.#parts.runState.ledger.get(key)) !== null;
  }

  /** The rules of the version that made a call: no other counterparty knows of the call (CO7). */
  #rulesOf(call: LedgerCall): Tool | undefined {
    return rulesOf(this.#parts.config, this.#parts.versions, call);
  }

  #counterpartyOf(call: LedgerCall | undefined): Counterparty | null {
    // Its counterparty would tell the answer that was found wrong: the tool itself is asked again (semantics.md C10).
    // Of a call that no replay has come to it tells whether that stands, and its answer is not served.
    if (call?.wrong && call.at !== null && call.intent.class === 'idempotent') return null;
    const tool = call && this.#rulesOf(call);
    const seeing = tool?.see && call ? this.#seeing(call, tool.see) : undefined;
    const reconciler = seeing ?? (tool?.reconcile ? broughtAs(this.#parts.reconcilers, tool.reconcile) : undefined);
    return tool === undefined || reconciler === undefined ? null : { reconciler, asking: tool.asking };
  }

  /** A reconciler that looks at the world again, and compares the look before the call with the look of now (RV6). */
  #seeing({ key, intent: { instance } }: LedgerCall, { tool, applied }: See): Reconciler {
    const { runState, lifecycle } = this.#parts;
    return async ({ args }) => {
      const look = runState.looks.ofCall(key, tool);
      const reply = look && (await this.#lookFor(instance, lifecycle.leave)(look.actor, look));
      if (look === undefined || reply?.is !== 'done') return { is: 'unknown' };
      const [then, now] = [look.output, reply.output];
      const { is } = applied.ask({ state: '', action: tool, args, entity: null, memory: null, event: null, now, then });
      return is === 'yes' ? { is: 'applied' } : is === 'no' ? { is: 'not_applied' } : { is: 'unknown' };
    };
  }

  /**
   * Asks once, and writes down what came of it. @returns true where the projection knows that: a journal may take
   * nothing any more.
   */
  async #askOnce(call: LedgerCall, counterparty: Counterparty): Promise<boolean> {
    const isCurrent = () => this.#isCurrent(call);
    const before = call.asked;
    const entries = isCurrent() ? await this.#answer(call, counterparty) : null;
    // While it was waited, or asked, the call itself may have come back, or a replay may have claimed its key.
    if (!isCurrent()) return true;
    this.#write.append(billed(this.#parts, entries ?? [this.#unknown(call, counterparty)]));
    return !isCurrent() || call.asked !== before;
  }

  #isCurrent(call: LedgerCall): boolean {
    return this.#parts.runState.ledger.get(call.key) === call && isOpen(call.status);
  }

  /**
   * Waits for a call that an earlier sidecar of this process left behind as it gave the run back: it says itself what
   * became of it (E2).
   */
  async #waitForReturn(call: LedgerCall | undefined): Promise<void> {
    // What may be made again under its key is not waited for.
    if (call === undefined || !call.mayLeave || call.intent.class === 'idempotent') return;
    const { key } = call;
    const tool = this.#rulesOf(call);
    const { secret } = this.#parts.runState;
    const back = await cameBack(secret, key, tool?.timeout ?? PATIENCE);
    if (back === null && !this.#expected.has(key)) {
      this.#expected.add(key);
      onceBack(secret, key, () => void this.#takeReturn(key).catch(() => {}));
    }
    if (back === null || !this.#isCurrent(call)) return;
    const refusal = back.status === 'confirmed' ? (tool?.refuses(back.output) ?? null) : null;
    const outcome = refusal === null ? back : ({ status: 'unknown', error: refusal } as const);
    this.#write.append(
      billed(this.#parts, [
        { do: 'returned', key },
        { do: 'outcome', key, ...outcome },
      ]),
    );
  }

  /** Takes in a call that has come back while the run waits, or is parked over it: the run is asked again. */
  async #takeReturn(key: string): Promise<void> {
    const call = this.#parts.runState.ledger.get(key);
    if (this.#parts.lifecycle.leave.aborted || call === undefined || !this.#isCurrent(call)) return;
    await this.#waitForReturn(call);
    if (!this.#isCurrent(call)) this.#onReturn();
  }

  /** The entry for an unknown answer, with the time of the next question if there is one. */
  #unknown({ key, asked, calledAt }: LedgerCall, { asking: { tries, wait, settles } }: Counterparty): Entry {
    const now = this.#parts.now();
    const later = now + Math.min(wait * FACTOR ** asked.tries, LONGEST_WAIT);
    // Without a time to settle, every answer counts, whatever the clock says: it may have been set back since the call.
    const settled = settles === null ? Number.NEGATIVE_INFINITY : calledAt + settles;
    const isLast = asked.tries + 1 >= tries;
    if (now >= settled) return { do: 'asked', key, tries: asked.tries + 1, next: isLast ? null : later };
    // The last question waits until its counterparty has to know, and no other waits past that.
    return isLast
      ? { do: 'asked', key, tries: asked.tries, next: settled }
      : { do: 'asked', key, tries: asked.tries + 1, next: Math.min(later, settled) };
  }

  /**
   * Says why "not applied" settles nothing: the process that the run was taken from may make the call after that
   * answer.
   */
  #tellMayLeave(key: string, { tool, instance }: IntentEntry): void {
    const happens = `the counterparty says that ${tool} did not happen, and the process that this run was taken from may still make that call`;
    const fix = `end that process and settle the call, or declare refuses_key where the counterparty refuses its key from then on`;
    this.#tell(key, { do: 'finding', code: 'may_still_leave', instance, text: `${happens}: ${fix}` });
  }

  /** Says why "not applied" settles nothing: the key is older than the counterparty remembers keys (E3). */
  #tellExpired(key: string, { tool, instance }: IntentEntry): void {
    const says = `the counterparty says that ${tool} did not happen, and it may have forgotten the key of that call`;
    const fix = 'settle the call, or declare outlives_key where the counterparty is not asked by the key';
    this.#tell(key, { do: 'finding', code: 'key_expired', instance, text: `${says}: ${fix}` });
  }

  /** Tells a finding about a call, once. */
  #tell(key: string, finding: Extract<Entry, { do: 'finding' }>): void {
    const name = `${finding.code} ${key}`;
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#write.append([finding]);
    this.#parts.onFinding(finding);
  }

  /** Asks once. @returns the entries of the outcome; null where it is not known. */
  async #answer(
    call: LedgerCall,
    { reconciler, asking: { settles, refusesKey, outlivesKey } }: Counterparty,
  ): Promise<readonly Entry[] | null> {
    const { key, intent, calledAt, mayLeave } = call;
    try {
      const args = argsOf(this.#parts.runState, intent);
      const asked = await this.#sandboxes.around(call, async (sandbox) =>
        reconciler({ key, tool: intent.tool, args, calledAt, ...(sandbox !== undefined && { sandbox }) }),
      );
      // It cannot be asked, or is known by now not to have happened.
      if (asked.is !== 'made') return null;
      const { result } = asked;
      const tool = this.#rulesOf(call);
      if (result.is === 'applied') {
        const { output } = result;
        // A look tells of no answer: a reply that came stays what it was.
        if (tool?.see)
          return tool.refuses(output ?? call.output) === null ? [{ do: 'outcome', key, status: 'confirmed' }] : null;
        return [{ do: 'outcome', key, status: 'confirmed', output }];
      }
      if (result.is !== 'not_applied') return null;
      // An answer that may be older than the call says nothing of it.
      if (settles !== null && this.#parts.now() < calledAt + settles) return null;
      if (mayLeave && !refusesKey) {
        this.#tellMayLeave(key, intent);
        return null;
      }
      const isForgotten = isExpired(call, tool, this.#parts.now());
      // A counterparty that has forgotten the key says the same of a call that has happened (E3).
      if (isForgotten && !outlivesKey && !tool?.see) {
        this.#tellExpired(key, intent);
        return null;
      }
      const error = 'the counterparty says that it did not happen';
      const outcome = { do: 'outcome', key, status: 'failed', error } as const;
      return refusesKey || isForgotten ? [outcome, { do: 'voided', key }] : [outcome];
    } catch {
      return null;
    }
  }
}
