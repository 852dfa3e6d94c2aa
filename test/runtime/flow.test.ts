import { flow } from '../../src/flow/flow.ts';
import { testRuntime } from './contract.ts';

testRuntime({
  name: 'flows',
  open: (how, act, options) => {
    const shop = flow<string>('shop', async (step, input) => {
      const quote = await step('quote', { of: input }, (call) => act('quote', call));
      const reserve = await step('reserve', { of: input }, (call) => act('reserve', call));
      const charge = await step('charge', { quote }, (call) => act('charge', call));
      return step('ship', { reserve, charge }, (call) => act('ship', call));
    });
    return shop[how](options);
  },
});
