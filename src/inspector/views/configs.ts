/** The named configs, the persons who vouch for them, and the runs under them. */

import type { WireConfigs } from '../files-data.ts';
import type { Inspected } from '../port.ts';
import type { Runs } from '../reading.ts';

/** The configs, and the digests of runs that none of them has. */
export async function configsView(port: Inspected, runs: Runs): Promise<WireConfigs> {
  const counts = new Map<string, number>();
  for (const summary of await runs.summaries()) {
    const { config } = await runs.standing(summary);
    if (config !== null) counts.set(config, (counts.get(config) ?? 0) + 1);
  }
  const configs = await port.configs();
  const known = new Set(configs.map(({ digest }) => digest));
  return {
    configs: configs.map((config) => ({ ...config, runs: counts.get(config.digest ?? '') ?? 0 })),
    others: [...counts].filter(([digest]) => !known.has(digest)).map(([digest, count]) => ({ digest, runs: count })),
    matrices: port.matrices,
  };
}
