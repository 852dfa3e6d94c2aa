/**
 * Stands for an actor in a journal, by the actor's place in the system of its run: the ids on the way from the root.
 */
export class ActorReference {
  readonly place: string;

  constructor(place: string) {
    this.place = place;
  }
}

/** The name under which a runtime hands in how its actors are written. No codec of a caller has it. */
export const ACTOR_CODEC = 'belay:actor';

/** The actors of one run as the journal writes them: by their places. */
export interface ActorCodec {
  readonly name: typeof ACTOR_CODEC;
  /** True for an actor of the run, and for a value that stands for an actor. */
  is(value: object): boolean;
  /** The place of an actor. */
  encode(value: object): string;
  decode(place: string): unknown;
}
