import { expect, test } from 'vitest';
import { TOYS, type Toy } from './toys.ts';
import { course } from './trial.ts';

const toy = (name: string) => TOYS.find((each) => each.name === name) as Toy;

test('a task of a superstep that fails is done again alone: its siblings are kept', async () => {
  const right = await course(toy('sends'), null, null);
  const found = await course(toy('sends'), { is: 'throws', tool: 'work' }, null);
  // The call that threw has not acted: the tries of the others would show as acts.
  expect(found).toMatchObject({ state: right.state, acts: right.acts });
});

test('tasks of a fan-out that got the same are kept where what sent them is found wrong', async () => {
  const right = await course(toy('sends'), null, null);
  const found = await course(toy('sends'), { is: 'found wrong', tool: 'plan', after: 4 }, null);
  expect(found).toMatchObject({ state: right.state, world: right.world });
  // The plan, the one task that was sent it, and the sum; the other two tasks answer from the journal.
  expect(found.acts).toBe(right.acts + 3);
});

test('a branch beside the one that is found wrong is kept, and so is what was done before both', async () => {
  const right = await course(toy('fan'), null, null);
  const found = await course(toy('fan'), { is: 'found wrong', tool: 'b', after: 3 }, null);
  expect(found).toMatchObject({ state: right.state, world: right.world });
  expect(found.acts).toBe(right.acts + 2);
});

test('a node that is entered again asks for nothing twice that was answered', async () => {
  const right = await course(toy('subgraph'), null, null);
  for (let dies = 8; dies < right.appends; dies += 4) {
    const found = await course(toy('subgraph'), null, dies);
    expect({ dies, state: found.state, acts: found.acts }).toEqual({ dies, state: right.state, acts: right.acts });
  }
});
