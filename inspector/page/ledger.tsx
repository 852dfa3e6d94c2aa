/** The three ledgers of a run: what it owes, what it did, and why it acted. */
import type { InspectedLedger } from '../../src/inspector/files-data.ts';
import { heads } from './api.ts';
import { clock, Lines, useRead, Waiting } from './parts.tsx';

const PARTS = [
  ['obligations', 'What is still owed', 'It owes nothing.'],
  ['effects', 'What was done', 'No call that could change the world.'],
  ['decisions', 'Why, and on what it rested', 'It has decided nothing.'],
] as const;

/** Entries of a ledger that are in the page at once; the newest are shown. */
const SHOWN = 500;

export function LedgerView({ id }: { id: string }) {
  const { value, problem } = useRead<InspectedLedger>(`/api/runs/${id}/ledger`, heads.value[id]);
  if (value === null) return <Waiting problem={problem} />;
  return (
    <>
      {PARTS.map(([name, title, empty]) => (
        <section class="card" aria-labelledby={name}>
          <h2 id={name}>{title}</h2>
          {value[name].length === 0 ? <p class="empty">{empty}</p> : null}
          {value[name].length > SHOWN ? (
            <p class="quiet">
              The newest {SHOWN}; belay ledger has all {value[name].length}.
            </p>
          ) : null}
          <ul class="why">
            {value[name].slice(-SHOWN).map(({ time, text, under, commands }) => (
              <li>
                {time === null ? null : <span class="quiet">{clock(time)} </span>}
                {text}
                {under.map((line) => (
                  <div class="quiet under">{line}</div>
                ))}
                {commands.length === 0 ? null : <Lines lines={commands} label="Commands that pay it" />}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
