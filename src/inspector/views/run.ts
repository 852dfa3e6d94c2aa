/** The first view of a run's page: its status, the reason for it, and the acts that it offers. */
import type { ApprovalRequest } from '../../effects/gates.ts';
import { answerIn } from '../../effects/messages/answers.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import { explain, quoted } from '../../recovery/explain.ts';
import { guardedRequest, kinText } from '../../reports/approval-requests.ts';
import { shownArgs } from '../../reports/ledger-effects.ts';
import { handleText, sandboxReports } from '../../reports/sandboxes.ts';
import { stateText } from '../../reports/timeline.ts';
import { linesOf } from '../http/shown.ts';
import type { WireDecisionRow, WireGate, WireRun } from '../page-data.ts';
import type { Inspected } from '../port.ts';
import type { Read } from '../reading.ts';
import { actsOf } from './acts.ts';
import { causeOf } from './cause.ts';
import { actorName, shownInstance, stateOf } from './words.ts';

/** The most decisions and findings that are listed. */
const MOST = 200;

/** A run. */
export function runView(read: Read, port: Inspected, now: number): WireRun {
  const { id, summary, timeline } = read;
  const { agent, standing, times, digests, runState, findings, eventRows } = timeline;
  return {
    id,
    run: summary.run,
    agent,
    state: stateOf(standing, summary.held),
    held: summary.held,
    head: summary.head,
    now,
    first: times?.first ?? null,
    last: times?.last ?? null,
    config: digests?.config ?? null,
    machine: digests?.machine ?? null,
    active: activeOf(read),
    cause: causeOf(read),
    gates: gatesOf(read, now),
    acts: actsOf(read, port, now),
    decisions: decisionRows(read),
    instances: [...runState.history.registry.all()]
      .filter(({ id: { skeleton } }) => skeleton !== ROOT)
      .slice(-MOST)
      .map(({ id: each, committed, checkpoints }) => {
        const name = instanceName(each);
        return {
          name,
          live: runState.live.has(name),
          committed: committed !== null,
          epoch: runState.epochs.get(name) ?? 0,
          checkpoints: checkpoints.slice(-MOST).map(({ kind, at }) => `${kind}, ${eventRows.texts()(at)}`),
        };
      }),
    sandboxes: sandboxReports(runState).map(({ name, is, since, provider, handle }) => ({
      ...{ name, is, since, provider },
      handle: handleText(handle),
    })),
    findings: findings.slice(-MOST).map(({ code, text, count }) => ({ code, text, count })),
  };
}

function activeOf({ timeline: { runState } }: Read): WireRun['active'] {
  return runState.actors
    .filter(({ begun, ended }) => begun && ended === null)
    .slice(0, MOST)
    .map((actor) => ({ actor: actorName(actor), state: stateText(actor.value) }));
}

function earlierArgs(like: string | undefined, { runState }: Read['timeline']): readonly string[] | null {
  const intent = like === undefined ? undefined : runState.ledger.get(like)?.intent;
  return intent === undefined ? null : linesOf(shownArgs(intent, runState));
}

function gatesOf({ timeline, posts }: Read, now: number): WireGate[] {
  const { runState } = timeline;
  const answers = posts.flatMap(({ number, body }) => {
    const answer = number > runState.asked.read ? answerIn(body) : null;
    return answer === null ? [] : [answer];
  });
  return runState.asked.pending().flatMap((gate): WireGate[] => {
    const intent = runState.ledger.get(gate.key)?.intent;
    const about = guardedRequest(runState, gate);
    if (about === null) return [];
    const left = answers.filter((answer) => answer.gate === gate.gate);
    const isLate = gate.expires !== null && gate.expires <= now;
    return [
      {
        gate: gate.gate,
        asks: {
          approval: `May ${quoted(about.tool)} be called?${mayBeText(gate, about.tool)}`,
          outcome: `What became of ${quoted(about.tool)}, which was called?`,
          branch: `Which branch of ${quoted(about.tool)} is chosen?`,
          review: about.reason,
        }[gate.asks],
        tool: about.tool,
        class: intent?.class ?? 'none',
        instance: shownInstance(about.instance) ?? 'work outside every skeleton',
        args: linesOf(about.args),
        earlier: earlierArgs(gate.like, timeline),
        since: gate.since,
        expires: gate.expires,
        status: isLate ? 'expired: it is asked again when the run is resumed' : 'pending',
        left: left.map((answer) => {
          const said = answer.verdict === 'settled' ? answer.status : answer.verdict;
          const why = answer.why === null || answer.why === '' ? '' : `: ${runState.redaction.text(answer.why)}`;
          return `${said} by ${JSON.stringify(answer.by)} (not verified)${why}`;
        }),
      },
    ];
  });
}

function decisionRows({ timeline }: Read): WireDecisionRow[] {
  return timeline.decisions.slice(-MOST).map(({ number, seq, time, entry, around }) => ({
    number,
    time,
    signal: entry.signal,
    error: entry.error,
    verdict: entry.decision.verdict,
    level: entry.decision.line?.level ?? null,
    instance: shownInstance(entry.decision.failed),
    headline: explain(entry.decision, around, timeline.eventRows.texts(seq)).text,
  }));
}

/** The reason why a call may be one that has happened. */
function mayBeText({ like, kin }: ApprovalRequest, tool: string): string {
  if (kin !== undefined) return ` It may be done already: ${kinText(kin, tool)}.`;
  return like === undefined ? '' : ' It has happened before: is this another act?';
}
