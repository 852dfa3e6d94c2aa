/** Stands in a context for an actor until that actor exists again. */
export class ActorReference {
  readonly id: string;
  readonly sessionId = null;

  constructor(id: string) {
    this.id = id;
  }
}

/** True if a value is an actor, or stands for one. */
export function isReference(value: object): value is { id: string } {
  return value instanceof ActorReference || ('sessionId' in value && 'send' in value && 'ref' in value);
}
