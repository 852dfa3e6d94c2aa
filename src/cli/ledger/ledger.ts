/**
 * The verb `ledger`: three views of one journal, for the decisions, the effects and the obligations of the run.
 * `reports/` computes the views, and ledger-text.ts words them.
 */

import { instanceName } from '../../model/instance.ts';
import { auditOf } from '../../reports/audit.ts';
import type { LedgerDecision } from '../../reports/ledger-decision.ts';
import type { LedgerEffect } from '../../reports/ledger-effects.ts';
import type { Obligation } from '../../reports/ledger-obligations.ts';
import { type Ledgers, ledgersOf } from '../../reports/ledgers.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { plain, statusFields, statusText } from '../terminal/wording.ts';
import { auditText } from './audit-text.ts';
import { section, type VIEWS } from './ledger-text.ts';
import { nameOf } from './ledger-words.ts';
import { paysWith } from './obligations-text.ts';

/** Options of showing a ledger. */
export interface LedgerOptions {
  readonly file: string;
  readonly run: string;
  readonly views: readonly (typeof VIEWS)[number][];
  /** True where the spine of an audit is shown behind the views. */
  readonly isAudit: boolean;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
  readonly now: number;
}

/** Shows the ledgers of a run. */
export async function showLedger({
  file,
  run,
  views,
  isAudit,
  json,
  medium,
  counting,
  now,
}: LedgerOptions): Promise<Told> {
  return reading(file, async (store) => {
    const { held } = await runNamed(store, run);
    const rows = [...(await countedRows(store, run, counting))];
    const ledgers = ledgersOf(rows, now);
    const lines = isAudit ? auditOf(rows) : null;
    if (json) {
      const audit = lines?.map(({ time, ...line }) => ({ ...line, time: iso(time) }));
      return [
        `${JSON.stringify({ ...fields(run, held, ledgers, views, file), ...(audit && { mandate: audit }) }, plain)}\n`,
      ];
    }
    const head = layOut(null, { label: run, text: statusText(ledgers.standing, held) }, medium);
    const sections = views.map((view) => section(view, run, ledgers, file, medium));
    return [[head, ...sections, ...(lines === null ? [] : [auditText(lines, medium)])].join('\n')];
  });
}

function fields(run: string, held: boolean, ledgers: Ledgers, views: LedgerOptions['views'], file: string): object {
  const { standing, decisions, effects, budgets, changed, obligations } = ledgers;
  return {
    run,
    ...statusFields(standing, held),
    ...(views.includes('decisions') && { decisions: decisions.map(decisionFields) }),
    ...(views.includes('effects') && { effects: effects.map(effectFields), spent: budgets, changed }),
    ...(views.includes('obligations') && { obligations: obligations.map((each) => owedFields(each, run, file)) }),
  };
}

function decisionFields(decision: LedgerDecision): object {
  const { seq, time, is, ...more } = decision;
  const at = { seq, time: iso(time), is };
  switch (decision.is) {
    case 'call':
      return {
        ...at,
        ...more,
        instance: nameOf(decision.instance),
        relies: decision.relies.map(({ key, by }) => ({ key, by: by.map(instanceName) })),
      };
    case 'answer': {
      const { asked } = decision;
      const about = asked?.instance ?? null;
      return {
        ...at,
        ...more,
        asked: asked === null ? null : { ...asked, instance: about === null ? null : nameOf(about) },
      };
    }
    case 'refusal':
    case 'recovery':
    case 'commit':
      return { ...at, ...more, instance: decision.instance === null ? null : nameOf(decision.instance) };
  }
}

function effectFields({ instance, time, ...effect }: LedgerEffect): object {
  return { ...effect, instance: nameOf(instance), time: iso(time) };
}

function owedFields(obligation: Obligation, run: string, file: string): object {
  const { instance } = obligation;
  return {
    ...obligation,
    instance: instance === null ? null : nameOf(instance),
    ...('since' in obligation && { since: iso(obligation.since) }),
    ...('expires' in obligation && { expires: obligation.expires === null ? null : iso(obligation.expires) }),
    ...('next' in obligation && { next: obligation.next === null ? null : iso(obligation.next) }),
    commands: paysWith(obligation, run, file),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
