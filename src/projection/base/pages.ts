/**
 * The oldest steps of a run, with their reads, writes and certificates, out of memory: their pages lie in the bases of
 * the run. The newest page is read again when a question reaches behind the steps in memory. Such a run answers like a
 * run that holds all steps in memory, and slower only for questions about its beginning. A step that something still
 * refers to is the same object when its page is in again.
 */
import type { Told } from '../../history/first-accesses.ts';
import type { History } from '../../history/history.ts';
import { type Limits, NOTHING_OUT, type Pager, type Rank } from '../../history/paged.ts';
import type { Places } from '../../history/places.ts';
import type { Certified } from '../../history/registry.ts';
import type { BasePart } from '../../journal/journal.ts';
import type { RecordedStep } from '../state-types.ts';

/** The most steps of one page. */
const LARGEST = 4_096;

/** The steps that are here before any of them go out, for each of the newest. */
const LEAST = 4;

/** The things that a page holds, each list in its order. */
export interface PageContent {
  readonly steps: readonly RecordedStep[];
  readonly accesses: readonly Told[];
  readonly checkpoints: readonly Certified[];
}

/** A page that a base holds. */
export interface StoredPage {
  readonly count: number;
  readonly upTo: Limits;
  readonly packed: BasePart;
  /** @param known a step of the page that something refers to. */
  read(known: (nth: number, index: number) => RecordedStep | undefined): PageContent;
}

/** A page, and its steps that are to be the same when it is in again. */
class Page {
  readonly count: number;
  readonly upTo: Limits;
  /** Its things, until it is stored. */
  content: PageContent | null;
  stored: StoredPage | null;
  /** Those that say more than the page does. */
  readonly #pinned = new Map<number, RecordedStep>();
  /** Those that something may refer to, each at its place in the page. */
  #referred: (WeakRef<RecordedStep> | undefined)[] = [];
  #counts: readonly [accesses: number, checkpoints: number] = [0, 0];
  readonly #pin = (step: RecordedStep) => {
    this.#pinned.set(step.nth, step);
  };

  constructor(of: { readonly upTo: Limits; readonly content: PageContent } | StoredPage) {
    this.upTo = of.upTo;
    [this.content, this.stored] = 'content' in of ? [of.content, null] : [null, of];
    this.count = 'content' in of ? of.content.steps.length : of.count;
  }

  get pinned(): Iterable<RecordedStep> {
    return this.#pinned.values();
  }

  /** Has a step of the page be at hand. */
  keep(step: RecordedStep): void {
    this.#pin(step);
    step.paged(this.#pin);
  }

  /** It can be read again: its steps need not be at hand. */
  store(stored: StoredPage): void {
    this.#referred = (this.content as PageContent).steps.map((step) => {
      step.context = null;
      if (isMarked(step)) this.#pin(step);
      step.paged(this.#pin);
      return new WeakRef(step);
    });
    this.stored = stored;
    this.content = null;
  }

  /** Forgets which steps nothing refers to any more. */
  tidy(): void {
    if (this.#referred.length === 0) return;
    const left = this.#referred.map((step) => (step?.deref() === undefined ? undefined : step));
    this.#referred = left.some((step) => step !== undefined) ? left : [];
  }

  /** Its things, read where it is stored. Changes nothing: a page that cannot be read stays out. */
  read(): PageContent {
    const known = (nth: number, index: number) => this.#pinned.get(nth) ?? this.#referred[index]?.deref();
    return this.content ?? (this.stored as StoredPage).read(known);
  }

  /** It is in, with these things. */
  isIn({ steps, accesses, checkpoints }: PageContent): void {
    for (const step of steps) step.paged(null);
    this.content = null;
    this.#pinned.clear();
    this.#referred = [];
    this.#counts = [accesses.length, checkpoints.length];
  }

  /**
   * True if the page has as many accesses and checkpoints as at its reading: a restore removes some, and nothing is
   * inserted.
   */
  isSame({ accesses, checkpoints }: PageContent): boolean {
    return accesses.length === this.#counts[0] && checkpoints.length === this.#counts[1];
  }
}

/** A page that no base holds yet. */
export interface NewPage {
  readonly count: number;
  readonly upTo: Limits;
  readonly content: PageContent;
  /** A base holds it from here on. */
  store(stored: StoredPage): void;
}

/** The pages of one run. */
export class Pages implements Pager {
  readonly #places: Places<RecordedStep>;
  readonly #history: History;
  /** From the oldest on. */
  readonly #all: Page[] = [];
  /** Those that came in, from the oldest on. */
  #in: Page[] = [];

  constructor(places: Places<RecordedStep>, history: History) {
    this.#places = places;
    this.#history = history;
  }

  get upTo(): Limits {
    return this.#all.at(-1)?.upTo ?? NOTHING_OUT;
  }

  /** The number of steps that are out. */
  get count(): number {
    return this.#all.reduce((sum, { count }) => sum + count, 0);
  }

  /** True for a step that is out. */
  isOut({ nth, gone }: Pick<RecordedStep, 'nth' | 'gone'>): boolean {
    return !gone && nth <= this.upTo.nth;
  }

  /** The steps that are out and say more than their pages do. */
  *pinned(): Generator<RecordedStep> {
    for (const page of this.#all) yield* page.pinned;
  }

  /** The pages that are not stored, from the oldest on. */
  fresh(): NewPage[] {
    return this.#all.filter((page): page is Page & NewPage => page.content !== null);
  }

  /** The pages that are stored, from the oldest on. */
  get stored(): StoredPage[] {
    return this.#all.flatMap(({ stored }) => stored ?? []);
  }

  /** Lets go of all steps but the newest, where some times as many are here. They stay at hand until they are stored. */
  pageOut(newest: number): void {
    const { steps } = this.#places;
    for (const page of this.#all) page.tidy();
    if (steps.here.length < LEAST * Math.max(newest, 1)) return;
    while (steps.here.length > newest) {
      const left = steps.here.length - newest;
      if (!this.#outAgain(left)) this.#out(new Page(this.#next(Math.min(LARGEST, left))));
    }
  }

  /** The oldest steps that are here, with what belongs to them. */
  #next(count: number): { readonly upTo: Limits; readonly content: PageContent } {
    const { registry, versions } = this.#history;
    const steps = this.#places.steps.here.slice(0, count);
    const { to, nth, act } = steps.at(-1) as RecordedStep;
    const accesses: Told[] = [];
    for (const told of versions.here()) {
      if (told[0].at > to) break;
      accesses.push(told);
    }
    return { upTo: { at: to, nth, act }, content: { steps, accesses, checkpoints: registry.upTo(to) } };
  }

  /**
   * Lets go of the oldest page that came in, if no restore has removed part of it: then the stored page is still true.
   */
  #outAgain(most: number): boolean {
    const page = this.#in.shift();
    if (page === undefined) return false;
    const isWhole = page.count <= most && this.#places.steps.here[page.count - 1]?.nth === page.upTo.nth;
    const next = isWhole ? this.#next(page.count) : null;
    if (next === null || !page.isSame(next.content)) {
      this.#in.length = 0;
      return false;
    }
    page.content = next.content;
    this.#out(page);
    page.store(page.stored as StoredPage);
    return true;
  }

  #out(page: Page): void {
    const { steps, accesses, checkpoints } = page.content as PageContent;
    this.#all.push(page);
    this.#places.pageOut(steps.length, this);
    this.#history.versions.pageOut(accesses, this);
    this.#history.registry.pageOut(checkpoints, this);
  }

  pageIn(count: number): void {
    const pages = this.#all.slice(-count);
    const contents = pages.map((page) => page.read());
    for (const [index, page] of pages.entries()) page.isIn(contents[index] as PageContent);
    this.#all.length -= pages.length;
    this.#in = [...pages.filter(({ stored }) => stored !== null), ...this.#in];
    this.#places.pageIn(contents.flatMap(({ steps }) => steps));
    this.#history.versions.pageIn(
      contents.flatMap(({ accesses }) => accesses),
      this.upTo.at,
    );
    this.#history.registry.pageIn(contents.flatMap(({ checkpoints }) => checkpoints));
  }

  pageInTo(limit: number, rank: Rank): void {
    const count = this.#all.length - 1 - this.#all.findLastIndex(({ upTo }) => upTo[rank] <= limit);
    if (count > 0) this.pageIn(count);
  }

  /** Pages everything in, and forgets what is stored of it. */
  allIn(): void {
    if (this.#all.length > 0) this.pageIn(this.#all.length);
    this.#in = [];
  }

  /** Adds a page that was stored before, after those that are there. */
  readd(stored: StoredPage): void {
    this.#all.push(new Page(stored));
  }

  /** Has a step of a page that was stored before be at hand. */
  keep(step: RecordedStep): void {
    this.#all.find(({ upTo }) => step.nth <= upTo.nth)?.keep(step);
  }
}

/** True for a step that says more than a page does. */
function isMarked({ leads, ties, owes, closes, origins, isLetGo }: RecordedStep): boolean {
  return !isLetGo || leads.length > 0 || ties.length > 0 || owes !== 0 || closes.length > 0 || origins !== null;
}
