/** The traces that the playground begins with. The first two are the README's and that of docs/trace-format.md. */

/** A trace by the name that a reader chooses it by. */
export interface Example {
  readonly name: string;
  readonly trace: string;
}

const SCHEDULE = `{"do":"trace","id":"schedule"}
{"do":"enter","in":["ResolveSlot","slot[0]",0]}
{"do":"write","in":["ResolveSlot","slot[0]",0],"key":"slots/0/value"}
{"do":"boundary","in":["ResolveSlot","slot[0]",0],"kind":"commit"}
{"do":"enter","in":["Finalize","final",0]}
{"do":"read","in":["Finalize","final",0],"key":"slots/*/value"}
{"do":"effect","in":["Finalize","final",0],"class":"irreversible","status":"confirmed","id":"submit"}
{"do":"boundary","in":["Finalize","final",0],"kind":"commit"}
{"do":"fail","in":["ResolveSlot","slot[0]",0]}
`;

const STARTED = `{"do":"trace","id":"t1"}
{"do":"enter","in":["Draft","report",0]}
{"do":"enter","in":["Review","report",0],"by":["Draft","report",0]}
{"do":"boundary","in":["Review","report",0],"kind":"commit"}
{"do":"fail","in":["Draft","report",0]}
`;

const LOST_REPLY = `{"do":"trace","id":"trip"}
{"do":"enter","in":["Book","hotel",0]}
{"do":"read","in":["Book","hotel",0],"key":"plan/nights"}
{"do":"effect","in":["Book","hotel",0],"class":"compensable","status":"confirmed","undo":true,"id":"hold"}
{"do":"effect","in":["Book","hotel",0],"class":"irreversible","status":"unknown","id":"pay"}
{"do":"fail","in":["Book","hotel",0]}
`;

const UNCOMMITTED = `{"do":"trace","id":"report"}
{"do":"enter","in":["Fetch","prices",0]}
{"do":"write","in":["Fetch","prices",0],"key":"prices/eur"}
{"do":"enter","in":["Sum","totals",0]}
{"do":"read","in":["Sum","totals",0],"key":"prices/**"}
{"do":"write","in":["Sum","totals",0],"key":"totals"}
{"do":"enter","in":["Chart","totals",0]}
{"do":"read","in":["Chart","totals",0],"key":"totals"}
{"do":"fail","in":["Fetch","prices",0],"key":"prices/eur"}
`;

/** The examples, in the order in which they are offered. */
export const EXAMPLES: readonly [Example, ...Example[]] = [
  { name: 'A slot that was read and committed', trace: SCHEDULE },
  { name: 'Work that another piece of work started', trace: STARTED },
  { name: 'A payment whose reply was lost', trace: LOST_REPLY },
  { name: 'A wrong value that uncommitted work read', trace: UNCOMMITTED },
];
