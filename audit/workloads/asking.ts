/**
 * Asks and retries: after an error the counterparty is asked whether the call happened, by the same status queries, as often, and under the
 * same effect classes as Belay has them from the boundary config. Nothing else of Belay is in it: no journal, and no way back.
 */
import type { BoundaryConfig } from 'belay-sidecar';
import type { Wire } from './wire.ts';

/** The knowledge of a call after its error: it happened, it may be made again, or its outcome stays unknown. */
export type Resolved =
  | { readonly is: 'applied'; readonly output: unknown }
  | { readonly is: 'again' }
  | { readonly is: 'unknown' };

/** A call whose outcome is not known. */
export interface Doubt {
  readonly tool: string;
  readonly args: unknown;
}

/**
 * Resolves the outcome of a call that was told an error. @param asks false where no counterparty answers status
 * queries.
 */
export function resolve({ tool, args }: Doubt, transport: Wire, config: BoundaryConfig, asks: boolean): Resolved {
  const known = config.tools.get(tool);
  if (known?.effect === 'none') return { is: 'again' };
  if (asks && known !== undefined && known.reconcile !== null)
    for (let tries = 0; tries < known.asking.tries; tries += 1) {
      const outcome = askedOnce({ tool, args }, transport);
      if (outcome.is === 'applied') return { is: 'applied', output: outcome.output };
      if (outcome.is === 'not_applied') return { is: 'again' };
    }
  // The counterparty takes the same call under the same key for one.
  return { is: known?.effect === 'idempotent' ? 'again' : 'unknown' };
}

/** True where a run that waits for the outcome of a call need not: its counterparty, asked once more, would tell, and was not asked in vain as often as the config allows. */
export function isDecidable({ tool, args }: Doubt, transport: Wire, config: BoundaryConfig, asks: boolean): boolean {
  const known = config.tools.get(tool);
  if (known?.effect === 'idempotent') return true;
  if (!asks || known === undefined || known.reconcile === null) return false;
  if (transport.silence(tool, args) >= known.asking.tries) return false;
  try {
    return transport.shows(tool, args).is !== 'unknown';
  } catch {
    return false;
  }
}

/** A status query that fails tells nothing this time. */
function askedOnce({ tool, args }: Doubt, transport: Wire): ReturnType<Wire['ask']> {
  try {
    return transport.ask(tool, args);
  } catch {
    return { is: 'unknown' };
  }
}
