/** The setting of a graph on paper: nothing is streamed, and no question is handed out. */
import type { Setting } from '../setting.ts';
import { Unasked } from './unasked.ts';
import type { PaperWatcher } from './watcher.ts';

/** The setting of a graph, for one entry on paper. */
export function settingOnPaper(setting: Setting, watcher: PaperWatcher): Setting {
  const ends = () => watcher.ends();
  const { callbacks: _, ...settings } = setting.settings;
  return {
    ...setting,
    settings,
    told: new Unasked(ends),
    beside: null,
    rests: () => {},
    leavesRest: () => {},
    modes: () => [],
    subgraphs: () => false,
    chunk: () => {},
    asks: (questions) => {
      if (questions.length > 0) ends();
    },
    drains: ends,
  };
}
