/**
 * The attributes of OpenTelemetry's semantic conventions that Belay uses, as version 1.45.0 has them. The conventions
 * are still in development, so this file spells them out and a test compares them with the package: they change only
 * with this file.
 */

/** The version of the conventions. */
export const CONVENTIONS = '1.45.0';

/** Names of attributes. */
export const ATTRIBUTES = {
  agent: 'gen_ai.agent.name',
  arguments: 'gen_ai.tool.call.arguments',
  call: 'gen_ai.tool.call.id',
  conversation: 'gen_ai.conversation.id',
  errorType: 'error.type',
  operation: 'gen_ai.operation.name',
  result: 'gen_ai.tool.call.result',
  tool: 'gen_ai.tool.name',
} as const;

/** Values of the attribute `operation`. */
export const OPERATIONS = { executeTool: 'execute_tool', invokeAgent: 'invoke_agent' } as const;
