/** The options of the runs of the shop whose turns are changed. */
import type { JournalStore } from '../../src/journal/journal.ts';
import { type Bank, shopConfig } from './shop.ts';

/** The options of a run whose turns are changed. */
export function steeredOptions(bank: Bank, journal: JournalStore, said: 'stands' | 'rewritten', pay?: 'irreversible') {
  const config = shopConfig(pay ?? 'reversible');
  return { run: 'r', config, journal, said, reconcilers: { find: bank.find }, undo: { undo: bank.undo } } as const;
}
