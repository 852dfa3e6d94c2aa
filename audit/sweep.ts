/**
 * The sweep: every call of a run fails in turn, before it acts. A case is one site of a run; the sweep has them all, those inside
 * parallel regions and loops included, so that it says which figures come of the choice of the site.
 */
import { instanceName } from 'belay-sidecar';
import type { Agent } from 'belay-sidecar/xstate';
import { DECISION_POLICY } from '#seam';
import { type Case, type Domain, STRATEGIES, type Strategy } from './case.ts';
import type { Measured } from './measure.ts';
import { NeverFailed, type Outcome } from './run.ts';
import { type Ran, recover, type Site, undisturbed } from './strategies.ts';

/** A failure at one call of a run, under one strategy. */
export interface Swept extends Pick<Measured, 'success' | 'safe' | 'replay' | 'upstream' | 'observed'> {
  readonly domain: string;
  /** The call that fails, as `TOOL#NTH`. */
  readonly site: string;
  readonly strategy: Strategy;
  readonly blocked: boolean;
  /** The number of completed instances that nothing happened to. */
  readonly preserved: number;
  /** True if the failed instance had promised something by then: the paper's commit-sensitive regime. */
  readonly promised: boolean;
  /** The acts that lie behind where the strategy goes back to, so that they would be made again. */
  readonly behind: number;
  /** Those of them that nothing takes back, or whose outcome is unknown. */
  readonly lasting: number;
}

/** Fails each call of the run of a case in turn, under every strategy. */
export async function sweep(agent: Agent, domain: Domain, given: Case): Promise<readonly Swept[]> {
  const whole: Site = { agent, domain, given, judges: DECISION_POLICY };
  const reference = await undisturbed(whole, 0);
  const counts = new Map<string, number>();
  const swept: Swept[] = [];
  for (const { tool } of reference.asked) {
    const nth = (counts.get(tool) ?? 0) + 1;
    counts.set(tool, nth);
    const failing = { call: { tool, nth }, when: 'before' } as const;
    const site: Site = { ...whole, given: { ...given, failing, raw: ['exception'] } };
    for (const strategy of STRATEGIES) {
      const ran = await recovered(site, strategy, reference);
      if (ran !== null) swept.push(sweptOf(given.domain, `${tool}#${nth}`, strategy, ran));
    }
  }
  return swept;
}

/** Null where the strategy has nowhere to begin, or the call comes in no run that fails elsewhere in its region first. */
async function recovered(site: Site, strategy: Strategy, reference: Outcome): Promise<Ran | null> {
  try {
    return await recover(site, strategy, 0, reference);
  } catch (error) {
    if (error instanceof NeverFailed) return null;
    throw error;
  }
}

function sweptOf(domain: string, site: string, strategy: Strategy, { outcome, measured }: Ran): Swept {
  const { before, decision } = outcome;
  const { success, safe, replay, upstream, observed, preserved } = measured;
  const name = decision === null || decision.failed === null ? null : instanceName(decision.failed);
  const own = before.instances.find(({ id }) => instanceName(id) === name);
  const from = strategy === 'retry-only' ? 0 : (own?.checkpoints[0]?.at ?? 0);
  const behind = before.effects.filter(
    ({ at, class: kind, status }) =>
      kind !== 'none' && at !== null && at > from && status !== 'failed' && status !== 'compensated',
  );
  const plain = strategy === 'retry-only' || strategy === 'coarse-state-retry';
  return {
    domain,
    site,
    strategy,
    success,
    safe,
    replay,
    upstream,
    observed,
    preserved: preserved.length,
    blocked: !plain && (decision?.verdict === 'rerun' || decision?.verdict === 'escalate'),
    promised: own?.checkpoints.some(({ kind }) => kind !== 'entry') ?? false,
    behind: behind.length,
    lasting: behind.filter(({ class: kind, status }) => kind === 'irreversible' || status !== 'confirmed').length,
  };
}
