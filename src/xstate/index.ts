/** The public list for runs of xstate machines: it needs the package `xstate`. */
export type { EventOutcome, Sending } from '../sidecar/run/sending.ts';
export type { Agent, AgentSetting, OpenAgent } from './agent.ts';
export { attach, resume, type Sidecar, type SidecarOptions } from './attach.ts';
export { tool } from './tool.ts';
export { ToolboxError, toolbox } from './toolbox.ts';
