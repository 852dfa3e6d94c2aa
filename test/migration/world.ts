/** The world that the tools of little machines act on. */
/** The acts of each tool by their keys, and what each was asked. */
export class World {
  readonly acts = new Map<string, Map<string, number>>();
  readonly asked: { readonly tool: string; readonly version: string; readonly input: unknown }[] = [];
  /** Holds each call back until it is let go; null lets each through. */
  hold: string | null = null;

  async act(name: string, version: string, key: string | undefined, input: unknown): Promise<unknown> {
    this.asked.push({ tool: name, version, input });
    const acts = this.acts.get(name) ?? new Map<string, number>();
    this.acts.set(name, acts);
    acts.set(key ?? `plain ${this.asked.length}`, 1);
    if (this.hold === name) return new Promise(() => {});
    return `${name} done`;
  }

  /** A key is that of one act. */
  undo(key: string): void {
    for (const acts of this.acts.values()) acts.delete(key);
  }

  /** The acts that stand, of one tool. */
  standing(name: string): number {
    return this.acts.get(name)?.size ?? 0;
  }
}
