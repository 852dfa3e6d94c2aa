/** Machines that are generated: their states and tools come from data, so that xstate's types cannot know them. */
import { type OpenAgent, tool } from 'belay-sidecar/xstate';
import { setup } from 'xstate';

/** Makes a machine of a definition, with tools that refuse until a world is provided. @param tools the names of those. */
export function generated(tools: readonly string[], definition: object): OpenAgent['machine'] {
  const unconnected = () =>
    tool<unknown, unknown>(() => Promise.reject(new Error('no world is open for this machine')));
  const actors = Object.fromEntries(tools.map((name) => [name, unconnected()]));
  return setup({ actors }).createMachine(definition);
}
