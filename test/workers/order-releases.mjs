/** Two releases of an order, as processes of their own have them: both pay into one file. The second has a state more. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

const MORE = { 1: {}, 2: { review: {} } };

/** @param folder the folder with `order.yaml`, in which the payments are. */
export function orderOf(release, folder) {
  const file = join(folder, 'payments.jsonl');
  const payments = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const pay = tool(async ({ key }) => appendFileSync(file, `${JSON.stringify({ key, release })}\n`));
  const machine = setup({ actors: { pay } }).createMachine({
    id: 'order',
    context: {},
    initial: 'idle',
    states: {
      idle: { on: { LOOK: 'waiting' } },
      waiting: { on: { GO: 'paying' } },
      paying: { invoke: { src: 'pay', onDone: { target: 'over', actions: assign({ paid: true }) } } },
      over: { type: 'final' },
      ...MORE[release],
    },
  });
  const find = ({ key }) => (payments().some((each) => each.key === key) ? { is: 'applied' } : { is: 'not_applied' });
  const open = async () => ({ machine, reconcilers: { find }, close: async () => {} });
  return { machine, config: join(folder, 'order.yaml'), version: `${release}`, about: 'an order', open };
}
