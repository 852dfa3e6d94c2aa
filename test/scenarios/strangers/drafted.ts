/** The machines as a module exports them, for `belay init`. */
import { STRANGERS } from './machines.ts';
import { MORE } from './more.ts';
import { Shop } from './shop.ts';

export const machines = [...STRANGERS, ...MORE].map(({ machine }) => machine(new Shop()));
