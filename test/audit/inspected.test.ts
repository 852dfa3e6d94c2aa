/** Ten parked runs of the audit in the inspector: one key opens each, and its cause and the right act are seen at once. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Case, readCases } from '../../audit/case.ts';
import { type Outcome, underSidecar } from '../../audit/run.ts';
import { agents } from '../../domains/agents.ts';
import { type Decision, instanceName, memoryStore } from '../../src/index.ts';
import { DECISION_POLICY } from '../../src/xstate/seam.ts';
import { CHROMIUM, launched, pageOf } from '../chromium.ts';
import { Served } from '../inspector/serving.ts';
import { root } from '../pages.ts';

const WANTED = 10;
/** The pictures of the runs lie there, to be looked at. */
const PICTURES = join(root, 'reports', 'pictures');

const AGENTS = {
  diagnosis: agents.diagnosis,
  'etl-pipeline': agents.etlPipeline,
  navigation: agents.navigation,
  'travel-planning': agents.travelPlanning,
};

interface Parked {
  readonly outcome: Outcome;
  readonly served: Served;
}

/** Runs a case with no counterparty to ask, and serves what is left; null where it does not park. */
async function parked(given: Case): Promise<Parked | null> {
  const agent = AGENTS[given.domain as keyof typeof AGENTS];
  if (agent === undefined) return null;
  const journal = memoryStore();
  const kept = { journal, run: given.name };
  const how = { policy: 'line', judges: DECISION_POLICY, asks: false, kept } as const;
  const outcome = await underSidecar(agent, given, 0, given.failing, how);
  return outcome.status === 'parked' ? { outcome, served: await Served.over(journal, { executes: true }) } : null;
}

/** What the page has to offer first for a decision; null where only words help, since no act does. */
function rightAct(decision: Decision): RegExp | null {
  if (decision.verdict === 'rerun') return /^Rerun$/;
  const [act] = 'unblock' in decision ? decision.unblock.acts : [];
  if (act === undefined || !('effect' in act)) return null;
  const tool = act.effect.tool ?? 'the call';
  return new RegExp(
    act.act === 'settle_outcome' ? `^(Ask .*|Settle ${tool}: it happened)$` : `^${tool} was undone by hand$`,
  );
}

describe.skipIf(CHROMIUM === null)('ten parked runs of the audit', () => {
  let browser: Browser;
  const runs: [name: string, run: Parked][] = [];

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    browser = await launched();
    for (const given of readCases()) {
      if (runs.length === WANTED) break;
      const run = await parked(given);
      if (run !== null) runs.push([given.name, run]);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(runs.map(([, { served }]) => served.close()));
  });

  test('there are so many', () => {
    expect(runs).toHaveLength(WANTED);
  });

  test.each(Array.from({ length: WANTED }, (_, nth) => nth))(
    'number %i: one key shows why it stands still and what helps, without scrolling',
    async (nth) => {
      const [name, { outcome, served }] = runs[nth] as [string, Parked];
      const decision = outcome.decision as Decision;
      const page = await pageOf(browser, { viewport: { width: 1280, height: 800 } });
      await page.goto(served.url);
      await page.waitForSelector('table.runs');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.cause');
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
      const act = rightAct(decision);
      const help = act === null ? page.locator('.unblock li').first() : page.locator('.acts button').first();
      for (const part of [page.locator('.cause'), help]) {
        const box = await part.boundingBox();
        expect([name, (box?.y ?? 1_000) + (box?.height ?? 0) <= 800]).toEqual([name, true]);
      }
      expect(await page.evaluate<number>('window.scrollY')).toBe(0);
      const cause = await page.locator('.cause').innerText();
      expect(cause).toContain(
        decision.failed === null ? 'failed' : (instanceName(decision.failed).split('::')[0] ?? ''),
      );
      if (act !== null) expect(await help.innerText()).toMatch(act);
      await page.close();
    },
  );
});
