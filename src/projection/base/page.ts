/**
 * A page of a run, as plain data: its oldest steps that are in no page yet, with their reads, writes and certificates.
 * It is the same in every later base.
 */
import type { History } from '../../history/history.ts';
import { JournalError } from '../../journal/journal.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { accessesOf, checkpointsOf, savedAccesses, savedCheckpoints } from './history.ts';
import { type BaseSource, Loading } from './loading.ts';
import type { PageContent, StoredPage } from './pages.ts';
import { type BaseTexts, Saving } from './saving.ts';
import { stepRows, stepsOf } from './step-rows.ts';
import { contextsOfPage } from './steps.ts';

/** A page as plain data. */
export type SavedPage = ReturnType<typeof savedPage>;

/** Lays a page down. */
export function savedPage({ steps, accesses, checkpoints }: PageContent, texts: BaseTexts) {
  const to = new Saving(texts);
  const numbers = new Map(steps.map((step, index) => [step, index]));
  const contexts = [...contextsOfPage(steps)].map(
    (step) => [numbers.get(step) as number, texts.value(step.context?.is, 'memory')] as const,
  );
  const rows = stepRows(steps, to);
  const read = savedAccesses(accesses, to);
  const of = texts.numbers(checkpoints.map(([record]) => to.records.of(record)));
  const certified = savedCheckpoints(checkpoints.map(([, checkpoint]) => checkpoint));
  const records = to.records.all.map(({ id }) => to.id(id));
  const columns = certified.map((list) => texts.numbers(list));
  return { rows, contexts, accesses: read, of, certified: columns, records, named: to.named };
}

/**
 * A page that a base holds.
 * @param saved has its plain data read, each time that it is asked for.
 */
export function storedPage(
  page: Omit<StoredPage, 'read'>,
  saved: () => SavedPage,
  around: { readonly source: BaseSource; readonly history: History },
): StoredPage {
  const read: StoredPage['read'] = (known) => {
    try {
      const content = contentOf(saved(), known, around);
      const last = content.steps.at(-1);
      if (content.steps.length === page.count && last?.nth === page.upTo.nth && last.to === page.upTo.at)
        return content;
      throw new RangeError(`it has ${content.steps.length} steps, up to ${last?.nth}`);
    } catch (error) {
      // A base that is no base is not taken up: this one was made to be taken for one.
      const why = error instanceof Error ? error.message : String(error);
      throw new JournalError('journal_corrupt', `a page of the base is damaged: ${why}`);
    }
  };
  return { ...page, read };
}

function contentOf(
  { rows, contexts, accesses, of, certified, records, named }: SavedPage,
  known: Parameters<StoredPage['read']>[0],
  { source, history }: { readonly source: BaseSource; readonly history: History },
): PageContent {
  const from = new Loading(source, named);
  for (const id of records) from.records.push(history.expect(from.id(id)));
  const steps = stepsOf(rows, from, known);
  for (const [index, context] of contexts) {
    const step = steps[index];
    if (step !== undefined) step.context ??= { is: source.value(context) };
  }
  const kept = checkpointsOf(certified.map((list) => source.numbers(list))) as Checkpoint[];
  const owners = source.numbers(of).map((number) => from.record(number));
  return {
    steps,
    accesses: [...accessesOf(accesses, history.versions, from)],
    checkpoints: owners.map((record, index) => [record, kept[index] as Checkpoint] as const),
  };
}
