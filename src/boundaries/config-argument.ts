/** A config, as exported functions take it. */
import { kind } from '../model/argument.ts';
import type { BoundaryConfig } from './config.ts';

export const CONFIG = kind(
  'the path of a config, or a config that loadConfig() has read and not refused',
  (value) => (typeof value === 'string' && value !== '') || isLoaded(value),
);

function isLoaded(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { agent, tools, skeletons } = value as Partial<BoundaryConfig>;
  return typeof agent === 'string' && tools instanceof Map && skeletons instanceof Map;
}
