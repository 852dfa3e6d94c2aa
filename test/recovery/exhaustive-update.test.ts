import { test } from 'vitest';
import { expectGreatestOfFive } from './exhaustive.ts';

test('one in four histories of five events with no blind write is answered with the greatest safe line', () => {
  expectGreatestOfFive('update');
});
