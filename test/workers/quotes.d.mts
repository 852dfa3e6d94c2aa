import type { Agent } from '../../src/xstate/agent.ts';

export const TRIP: { readonly skeleton: string; readonly entity: string };
export function quotes(folder: string, onUndo?: () => unknown): Agent;
