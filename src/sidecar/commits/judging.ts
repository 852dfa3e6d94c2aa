/**
 * Has boundaries judged: asks the judge once for each version, has a person look at an answer that is not sure, and carries the verdict out
 * (semantics.md JU1 to JU5).
 */
import { instanceName } from '../../model/instance.ts';
import { type JudgedEntry, type JudgingEntry, LONGEST_REASON } from '../../model/judged-entries.ts';
import type { Key } from '../../model/key.ts';
import { overlaps, parseKey } from '../../model/key.ts';
import { split } from '../../model/region.ts';
import { openJudgments } from '../../projection/open-judgments.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Calls } from '../calls/calls.ts';
import { retriedPlain } from '../calls/retrying.ts';
import type { Raised, RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import { boundaryNamed, judgedText, versionOf } from './judged-work.ts';
import { type Heard, verdictOf } from './verdict.ts';

/** The surroundings of the judgments of a run. */
interface JudgingPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly calls: Pick<Calls, 'lookFor' | 'reconciling'>;
  readonly approvals: Pick<Approvals, 'askReview'>;
  readonly run: {
    readonly recovering: { raise(raised: Raised): Promise<void> };
    readonly heard: { loses(sent: { readonly by: string; readonly why: string; readonly undo: true }): void };
    /** Has everything go on that has waited for the verdict. */
    settled(): void;
    /** What a boundary releases is released behind its verdict. */
    released(): void;
    finds(code: string, text: string): void;
  };
}

/** The judgments of one run. */
export class Judging {
  readonly #port: JudgingPort;
  /** The versions that are asked about. */
  readonly #asking = new Set<string>();
  /** The rejected boundaries that this process has carried out, by their versions and events. */
  readonly #carried = new Set<string>();

  constructor(port: JudgingPort) {
    this.#port = port;
    port.parts.lifecycle.whenever('judge', () => this.begin());
  }

  /** Looks at every boundary that waits for a verdict. */
  begin(): void {
    const { parts } = this.#port;
    if (parts.runState.judgments.isEmpty) return;
    for (const judging of openJudgments(parts.runState)) {
      if (!parts.lifecycle.may('judge')) return;
      const named = this.#asToday(judging);
      if (named !== null) this.#look(named);
    }
  }

  /** The judgment as the config of today asks for it; null where the config has no judge there any more: nothing is waited for. */
  #asToday(judging: JudgingEntry): JudgingEntry | null {
    const { parts } = this.#port;
    const judge = boundaryNamed(parts, judging.instance, judging.boundary)?.judge ?? null;
    if (judge === null) {
      this.#judged(judging, {
        is: 'accepted',
        pass: null,
        why: 'the config has no judge there any more',
        found: null,
        by: null,
      });
      return null;
    }
    const id = versionOf(parts, judging, judge);
    if (id === judging.id) return judging;
    const now = { ...judging, id, tool: judge.by };
    this.#append([now]);
    return parts.runState.judgments.verdictOn(id)?.is === 'accepted' ? null : now;
  }

  #look(judging: JudgingEntry): void {
    const verdict = this.#port.parts.runState.judgments.verdictOn(judging.id);
    switch (verdict?.is) {
      case undefined:
        if (!this.#asking.has(judging.id)) void this.#ask(judging);
        return;
      case 'weak':
        this.#review(judging, verdict);
        return;
      case 'rejected':
        this.#reject(judging, verdict);
        return;
      case 'accepted':
        return;
    }
  }

  /** Asks the judge, and writes its verdict. A process that takes leave has not heard it. */
  async #ask(judging: JudgingEntry): Promise<void> {
    const { parts, write } = this.#port;
    const { lifecycle, activity } = parts;
    this.#asking.add(judging.id);
    const ends = activity.begin();
    try {
      // What is judged is durable first: a verdict on what no journal has is none.
      await write.durable();
      const heard = await this.#heard(judging);
      const isOff = lifecycle.leave.aborted || lifecycle.answer('judge').is === 'no';
      const judge = boundaryNamed(parts, judging.instance, judging.boundary)?.judge ?? null;
      if (isOff || heard.is === 'dropped' || judge === null) return;
      this.#judged(judging, verdictOf(judge, judging, heard, parts.runState.redaction));
      await write.durable();
    } catch {
      // The broken journal reports its failure to the callers that wait for the run.
    } finally {
      ends();
      this.#asking.delete(judging.id);
      if (!lifecycle.isLeft) this.begin();
    }
  }

  /** The answer of the judge: it is asked again as its tool says, and no oftener. */
  async #heard({ tool, instance, actor, work }: JudgingEntry): Promise<Heard> {
    const { parts, calls } = this.#port;
    const { lifecycle, config } = parts;
    const look = calls.lookFor(instance, lifecycle.leave);
    for (let tries = 0; ; tries += 1) {
      const reply = await look(actor, { tool, args: work });
      if (reply.is === 'done') return { is: 'answered', output: reply.output };
      if (reply.is !== 'failed' || lifecycle.leave.aborted) return { is: 'dropped' };
      if (!(await retriedPlain(config.tools.get(tool), reply, tries, parts.now, lifecycle.leave)))
        return { is: 'failed', error: reply.error };
      if (!lifecycle.may('judge')) return { is: 'dropped' };
    }
  }

  /** Takes the word of a person about a version, or asks for it. */
  #review(judging: JudgingEntry, { pass, why, found }: JudgedEntry): void {
    const { parts, approvals } = this.#port;
    const { id, instance, boundary, tool } = judging;
    const gate = parts.runState.asked.of(id);
    if (gate?.status === 'approved' || gate?.status === 'denied') {
      const is = gate.status === 'approved' ? 'accepted' : 'rejected';
      this.#judged(judging, { is, pass, why: gate.why ?? why, found, by: gate.by });
      this.begin();
      return;
    }
    approvals.askReview({ asks: 'review', key: id, digest: id, epoch: 0, review: { instance, boundary, tool } });
  }

  /** Has rejected work found wrong, or the run aborted. */
  #reject(judging: JudgingEntry, verdict: JudgedEntry): void {
    const { parts, run } = this.#port;
    const name = `${judging.id} ${judging.at} ${parts.runState.recoveries}`;
    if (this.#carried.has(name)) return;
    this.#carried.add(name);
    const who = verdict.by === null ? judging.tool : verdict.by;
    const why = `${who} rejects ${judgedText(judging)}${verdict.why === null ? '' : `: ${verdict.why}`}`;
    const judge = boundaryNamed(parts, judging.instance, judging.boundary)?.judge;
    if (judge?.reject === 'abort') run.heard.loses({ by: who, why: shortened(why), undo: true });
    else void run.recovering.raise(this.#failureOf(judging, verdict, why));
  }

  #failureOf({ instance, at, boundary }: JudgingEntry, { found }: JudgedEntry, why: string): Raised {
    const { parts } = this.#port;
    const { runState } = parts;
    const { registry, versions, head } = runState.history;
    const record = registry.get(instance);
    const writes = record === undefined ? [] : versions.writesOf(record).filter((write) => write.at < at);
    const key = found === null ? null : keyIn(found);
    const named = key === null ? undefined : writes.find((write) => overlaps(write.key, key));
    if (found !== null && named === undefined)
      this.#port.run.finds(
        'judge_found_unknown',
        `${instanceName(instance)} has not written ${JSON.stringify(found.slice(0, 100))}: all that ${boundary} promises is meant`,
      );
    const write = named ?? this.#firstPromised(instance, boundary, writes) ?? writes[0];
    return {
      signal: 'CONTRACT_VIOLATION',
      error: new Error(why),
      actor: split(runState.places.of(instanceName(instance))?.region ?? '0:')[0],
      failure: { in: instance, key: write?.key ?? null },
      call: null,
      suspect: true,
      about: {
        write: write === undefined ? null : runState.originOf(write.at),
        head,
        epoch: runState.epochs.get(instanceName(instance)) ?? 0,
      },
    };
  }

  /** The first write of what the boundary promises. */
  #firstPromised<W extends { readonly key: Key }>(
    instance: JudgingEntry['instance'],
    boundary: string,
    writes: readonly W[],
  ): W | undefined {
    const outputs = boundaryNamed(this.#port.parts, instance, boundary)?.outputs ?? [];
    const facts = { state: '', action: '', args: {}, entity: instance.entity, memory: {}, event: {} };
    const keys = outputs.flatMap((template) => template.fillAll(facts));
    return writes.find((write) => keys.some((key) => overlaps(write.key, key)));
  }

  #judged({ id }: JudgingEntry, verdict: Omit<JudgedEntry, 'do' | 'id'>): void {
    this.#append([{ do: 'judged', id, ...verdict }]);
    if (verdict.is !== 'accepted') return;
    this.#port.run.released();
    queueMicrotask(() => this.#port.run.settled());
  }

  #append(entries: readonly (JudgedEntry | JudgingEntry)[]): void {
    this.#port.write.append(entries);
    void this.#port.write.durable().catch(() => {});
  }
}

/** The key that a judge names; null where the text names none. */
function keyIn(text: string): Key | null {
  try {
    return parseKey(text);
  } catch {
    return null;
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST_REASON ? text : `${text.slice(0, LONGEST_REASON).toWellFormed()}...`;
}
