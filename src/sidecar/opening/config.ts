/** The config that a run is opened with: loaded, held against the names that the caller brings, and reviewed. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { readConfig, readLock } from '../../boundaries/directory.ts';
import { isReviewed } from '../../boundaries/review.ts';
import { redactionRules } from '../../boundaries/sections/redact.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { memoryStore } from '../../journal/memory/store.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import { type RedactionRules, redacts } from '../../model/redaction.ts';
import { compareNames } from '../registered.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { RunOptions } from './options.ts';

/** The config, loaded. Says whether it is reviewed, and which names do not meet. */
export function configOf(agent: string, options: RunOptions): BoundaryConfig {
  const { config, guards, reviewed } = options;
  const loaded =
    typeof config === 'string' ? readConfig(config, guards === undefined ? {} : { guards }) : { config, findings: [] };
  if (loaded.config === null) {
    const errors = loaded.findings.filter(({ severity }) => severity === 'error');
    const lines = errors.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
    throw new SidecarError('config_refused', `the config has ${errors.length} errors:\n${lines.join('\n')}`);
  }
  if (loaded.config.agent !== agent) {
    throw new SidecarError('other_agent', `the config is for "${loaded.config.agent}", and the machine is "${agent}"`);
  }
  checkCodecs(options.codecs ?? []);
  const names = compareNames(loaded.config, options);
  const unreviewed = typeof config === 'string' ? unreviewedText(config, loaded.config) : null;
  if (unreviewed !== null && reviewed === true) throw new SidecarError('config_unreviewed', unreviewed);
  if (unreviewed !== null) options.onFinding?.({ code: 'config_unreviewed', instance: null, text: unreviewed });
  for (const { code, text } of names) options.onFinding?.({ code, instance: null, text });
  return loaded.config;
}

/** @throws SidecarError `bad_codec` where a name could not tell one codec from another. */
function checkCodecs(codecs: readonly ValueCodec[]): void {
  const names = new Set<string>();
  for (const { name } of codecs) {
    if (!/^[\w.:/-]{1,100}$/.test(name))
      throw new SidecarError('bad_codec', `"${name}" is no name of a codec: letters, digits and _ . : / - are`);
    if (names.has(name)) throw new SidecarError('bad_codec', `there are two codecs "${name}": rename one of them`);
    names.add(name);
  }
}

/** The store of the journal. @throws SidecarError `redaction_needs_encryption` where what is redacted could be read out of it. */
export function storeFor(config: BoundaryConfig, { journal = memoryStore() }: RunOptions): JournalStore {
  if (!redacts(redactionRules(config)) || journal.confidential === true) return journal;
  const what = 'the config redacts values, and the journal would keep them as they are';
  const mend = 'give it a key, sqliteStore(file, { key }) on a new file, at the terminal --key-file FILE';
  throw new SidecarError('redaction_needs_encryption', `${what}: ${mend}`);
}

/** The options with a store: one in memory where none is given. */
export function withStore(options: RunOptions): RunOptions {
  return { ...options, journal: options.journal ?? memoryStore() };
}

/**
 * Has a store make the pools of a config that it does not have yet.
 * @throws SidecarError `pools_unsupported` where the store has none; `pool_limit_differs` where one has another limit.
 */
export async function joinPools({ budgets, pools }: BoundaryConfig, store: JournalStore): Promise<void> {
  for (const [budget, pool] of pools) {
    if (store.pools === undefined)
      throw new SidecarError('pools_unsupported', `the journal has no pools, and the budget "${budget}" names one`);
    const own = budgets.get(budget) ?? 0;
    const limit = await store.pools.join(pool, own);
    if (limit === own) continue;
    const what = `the pool "${pool}" has the limit ${limit} in this store, and the config gives it ${own}`;
    throw new SidecarError(
      'pool_limit_differs',
      `${what}: make both one, belay pools ${pool} --limit ${own} sets the store's`,
    );
  }
}

/** The redaction as a journal has it, for readers without the config. */
export function redactOf(config: BoundaryConfig): { readonly redact?: RedactionRules } {
  const rules = redactionRules(config);
  return redacts(rules) ? { redact: rules } : {};
}

function unreviewedText(file: string, config: BoundaryConfig): string | null {
  const read = readLock(file);
  if ('problem' in read) return read.problem;
  if (isReviewed(read.lock, config)) return null;
  return `no person has vouched for ${file} as it is: belay review ${file} --accept --by NAME`;
}
