/** What stands in a memory for an actor until it is there again. */
export class ActorReference {
  readonly id: string;
  readonly sessionId = null;

  constructor(id: string) {
    this.id = id;
  }
}

/** Whether a value is an actor, or stands for one. */
export function isReference(value: object): value is { id: string } {
  return value instanceof ActorReference || ('sessionId' in value && 'send' in value && 'ref' in value);
}
