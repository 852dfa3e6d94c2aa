/** The classes that the calls of a run are kept as under another config (semantics.md CO2). It changes nothing. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { rulesOf } from '../../boundaries/version-rules.ts';
import { classOf } from '../../effects/guarded-call.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { classKept } from '../../model/effect.ts';
import type { KeptClass } from '../../model/entry.ts';
import type { ToolVersion } from '../../model/tool-version.ts';
import type { RunState } from '../../projection/run-state.ts';

/** The calls that are kept as another class than the run has them as, or are not undone any more: what both configs allow. */
export function keptClasses(
  { ledger }: Pick<RunState, 'ledger'>,
  config: BoundaryConfig,
  tools?: ReadonlyMap<string, ToolVersion>,
): readonly KeptClass[] {
  return [...ledger.all()].flatMap((call): readonly KeptClass[] => {
    const { key, tool: name, intent, undo } = call;
    // An undo, and a call that is made again, belong to the version that made the call (CO4, CO7).
    const rules = rulesOf(config, tools, call);
    const now = classOf(rules ?? config.tools.get(name));
    const stands = rules === undefined ? 'irreversible' : classKept(intent.class, now);
    const kept = mayStand(call) || now === 'none' ? stands : now;
    const policy = config.skeletons.get(intent.instance.skeleton)?.rollback.compensable ?? 'block';
    const isUndone = undo && (rules?.undo ?? null) !== null && (kept === 'reversible' || policy === 'undo');
    return kept === intent.class && isUndone === undo ? [] : [{ key, class: kept, undo: isUndone }];
  });
}

/** False for a call that is known not to stand in the world, whichever process may still make it. */
function mayStand({ status, mayLeave }: LedgerCall): boolean {
  return mayLeave || (status !== 'failed' && status !== 'compensated');
}
