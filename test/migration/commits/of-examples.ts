/** Commits to the examples. */
import { replaced } from './of-domains.ts';
import type { Commit, Loose } from './release.ts';

/** The commits, in no order. */
export const OF_EXAMPLES: readonly Commit[] = [
  {
    agent: 'coding',
    what: 'a delay is added: red edits are given up after two days',
    machine: ({ states }) => {
      states.red.after = { 172800000: 'declined' };
    },
  },
  {
    agent: 'coding',
    what: 'a tool is replaced by one that does not take the calls of the one before: edits go to another checkout',
    tools: { edit: (known) => replaced(known.edit, { version: '2' }) },
  },
  {
    agent: 'research',
    what: 'a state is renamed: noting is called writing',
    machine: ({ states }) => {
      states.writing = states.noting;
      delete states.noting;
      states.thinking.invoke.onDone[2].target = 'writing';
    },
    page: [
      ['states: [thinking, searching, reading, noting]', 'states: [thinking, searching, reading, writing]'],
      ['{ id: to-note, at: noting,', '{ id: to-note, at: writing,'],
      ['at: noting -> next', 'at: writing -> next'],
    ],
    renamed: { states: { noting: 'writing' } },
  },
  {
    agent: 'research',
    what: 'reads are changed: a search reads the question, too',
    page: [
      [
        "search: { reads: ['turns/{args.turn}', 'web:**']",
        "search: { reads: [question, 'turns/{args.turn}', 'web:**']",
      ],
    ],
  },
  {
    agent: 'scraper',
    what: 'outputs are changed: the list of pages is promised with its site',
    page: [["inputs: [site, 'web:**']\n    outputs: [pages]", "inputs: [site, 'web:**']\n    outputs: [pages, site]"]],
  },
  {
    agent: 'scraper',
    what: 'the input of a call is changed: the digest leaves out pages that were not stored',
    machine: ({ states }) => {
      states.sending.invoke.input = ({ context }: Loose) => ({
        lines: Object.values(context.pages).flatMap((each: Loose) => each.stored ?? []),
      });
    },
  },
  {
    agent: 'support',
    what: 'a final state is added: a ticket is closed where no customer says a word for two weeks',
    machine: ({ states }) => {
      states.waiting.after = { 1209600000: 'unanswered' };
      // A run that waits already is given the two weeks, too.
      states.waiting.on['@belay.moved'] = { target: 'waiting', reenter: true };
      states.unanswered = { type: 'final' };
    },
  },
  {
    agent: 'support',
    what: 'a skeleton and its tool are renamed: payBack is called refund, and Refund is called Money',
    machine: ({ states }) => {
      states.refunding.invoke.src = 'refundMoney';
    },
    tools: { refundMoney: (known) => known.payBack as never },
    page: [
      ['  payBack:', '  refundMoney:'],
      ['  Refund:\n', '  Money:\n'],
    ],
    renamed: { tools: { payBack: 'refundMoney' }, skeletons: { Refund: 'Money' } },
  },
];
