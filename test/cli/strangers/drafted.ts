/** The machines as a module exports them, for `belay init`. */
import { STRANGERS } from './all.ts';
import { Shop } from './shop.ts';

export const machines = STRANGERS.map(({ machine }) => machine(new Shop()));
