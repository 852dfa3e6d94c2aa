/** The findings that a config can have: a closed code, a place, a sentence and its fix (style.md 9). */
import type { PredicateCode } from '../../predicates/problem.ts';

/** Every reason why a file is no config. With one of these a run cannot start. */
export type RefusalCode =
  | 'cannot_read'
  | 'too_large'
  | 'not_utf8'
  | 'control_character'
  | 'yaml_syntax'
  | 'not_one_document'
  | 'too_deep'
  /** `&a`, `*a`: the value itself should stand in each place. */
  | 'alias'
  | 'tag'
  | 'merge_key'
  | 'forbidden_key'
  | 'duplicate_key'
  | 'name_not_text'
  | 'bad_text'
  | 'bad_number'
  | 'unknown_field'
  | 'missing_field'
  | 'wrong_type'
  | 'wrong_form'
  | 'not_one_of'
  | 'out_of_range'
  | 'bad_name'
  | 'bad_key'
  | 'bad_scheme'
  | 'bad_site'
  | 'bad_timeout'
  | 'bad_output_schema'
  | 'bad_input_schema'
  /** An argument is computed from an argument that is computed itself. */
  | 'bad_computed'
  | 'bad_amount'
  /** A call that does nothing need not wait; a call that waits for two things would be approved long before it acts. */
  | 'bad_hold'
  /** A part of the arguments that no person may change at a gate: it is none, or says which act the call is (PE1). */
  | 'bad_edits'
  /** An identity that no call can have, or of calls that do nothing. */
  | 'bad_once'
  /** A tool that acts on the world is said to decide. */
  | 'bad_decides'
  /** A look again at what is no look, a look that cannot settle a call, and a key that no call has (§23). */
  | 'bad_revalidate'
  | 'bad_see'
  | 'bad_key_valid'
  /** A tool in a sandbox that the config has not, or that cannot work in one (§30). */
  | 'unknown_sandbox'
  | 'bad_in'
  /** A judge that may change the world, or whose calls would wait for something else (JU1). */
  | 'bad_judge'
  /** Obligations of a tool that does nothing, that are listed nowhere, or that no tool could keep (OB1, OB2). */
  | 'bad_obligations'
  /** A redaction of a part that has no visible value. */
  | 'bad_redaction'
  /** A value that is redacted would be a name, which stands in every text. */
  | 'redacted_name'
  /** Alternatives whose branches would meet other work, or that say no score. */
  | 'bad_alternatives'
  | 'unknown_budget'
  | 'bad_pool'
  | 'duplicate_boundary'
  | 'unknown_boundary'
  /** A boundary is declared both reviewed and not reviewed. */
  | 'pending_anchor'
  | 'unknown_skeleton'
  | 'unknown_tool'
  | 'entry_outside_states'
  | 'required_not_input'
  | PredicateCode;

/** Codes of findings about a config that can run, by itself and against its machine. */
type LintCode =
  /** No anchor: every rollback goes to the entry. */
  | 'nothing_restorable_but_entry'
  /** Two objects may have the key of which the last writer is declared to win. */
  | 'blind_inexact'
  /** A `*` within a longer segment stands for itself. */
  | 'star_is_literal'
  | 'guard_used'
  | 'undo_missing'
  | 'no_machine'
  /** Another file is about the same agent. */
  | 'agent_twice'
  | 'unsupported_graph'
  | 'unknown_state'
  | 'unknown_edge'
  /** The states of a skeleton lie in two machines. */
  | 'skeleton_over_machines'
  | 'tool_never_called'
  | 'tool_undeclared'
  | 'invoke_inline'
  /** A tool is called in a state of no skeleton: a failure there is of no unit. */
  | 'call_outside_skeletons'
  | 'unreachable_entry'
  | 'entry_missing'
  | 'never_certifies'
  | 'exits_unused'
  | 'never_discards'
  | 'boundary_pending'
  | 'output_unwritten'
  | 'input_unprovided'
  | 'state_claimed_twice'
  | 'irreversible_before_commit'
  | 'read_undeclared'
  /** A call is held back until a commit, and no commit covers it. */
  | 'never_published'
  /** A tool without an effect writes a name that lies outside of the context. */
  | 'none_writes_outside'
  /** The entity is one text, and keys of the skeleton name it: all things of them are one unit. */
  | 'entity_constant'
  /** A guard or a boundary asks for the output of a call that is held back whole. */
  | 'held_output'
  /** An irreversible tool is called from a state that can be entered twice, and nothing says which calls are one act (ON1). */
  | 'acts_again'
  | 'outcome_never_known'
  /** The state of alternatives is parallel, invokes fewer than two branches, or does not take the choice. */
  | 'alternatives_unfit'
  /** A tool of a branch can be undone by its class, and names no undo. */
  | 'branch_undo_missing'
  /** A branch calls a tool that no branch may call: a person would be asked about a held call, or its acts are one over all branches. */
  | 'branch_call_refused'
  /** A tool of a branch reads what a held call writes, which has no answer before the choice. */
  | 'held_output_read'
  /** Branches write a key outside that may be the same for two of them. */
  | 'branches_meet'
  /** A state passes a tool what no journal holds without a codec: the call will not leave (E3). */
  | 'no_codec'
  /** One actor calls one of many tools, by a name in its input, and is one tool with one class to the config. */
  | 'tool_dispatches'
  /** An action is code without a name. */
  | 'action_inline'
  /** An irreversible tool does not take the key by which its counterparty could recognise a second call (E3). */
  | 'key_not_taken'
  /** The machine calls a tool again by itself after an error (E2). */
  | 'own_retry'
  /** No state calls the tool that keeps obligations (OB2). */
  | 'never_kept'
  | 'release_touched_later'
  | 'not_recoverable'
  /** What agents of the class that `check --profile` names need from a replay, and the config lacks. */
  | 'unknown_stays'
  | 'key_window_unsaid'
  | 'act_unnamed'
  | 'not_looked_at'
  | 'no_observation'
  | 'leaves_unasked'
  | 'not_taken_back'
  | 'search_made_again'
  | 'budget_unsaid'
  | 'not_set_aside'
  /** A person has vouched for another content of the file. */
  | 'review_stale'
  | 'too_many_findings';

/** Every code of a finding. */
type FindingCode = RefusalCode | LintCode;

/** An error prevents a run; a warning is likely a mistake; a note is worth knowing. */
type Severity = 'error' | 'warning' | 'note';

/** A place in a text: from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One finding about a file. */
export interface Finding extends Place {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly file: string;
  readonly message: string;
  readonly mend: string;
}

/** The most findings about one file; a finding says that more were left out. */
const MOST = 200;
/** The longest sentence, in UTF-16 units. */
const LONGEST = 600;

/** A sentence that quotes the file, cut where the quotation is long. */
function clip(sentence: string): string {
  return sentence.length <= LONGEST ? sentence : `${sentence.slice(0, LONGEST).toWellFormed()}...`;
}

/** Collects the findings of one file, in the order of the file when they are asked for. */
export class Findings {
  readonly #file: string;
  readonly #found: Finding[] = [];
  #more = 0;
  #refused = false;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Adds a finding. A fix that takes time to find is given as a function, which is called only for the findings that
   * are kept.
   */
  report(
    code: FindingCode,
    severity: Severity,
    { line, column }: Place,
    message: string,
    mend: string | (() => string),
  ): void {
    if (this.#found.length >= MOST) {
      this.#more += 1;
      this.#refused ||= severity === 'error';
      return;
    }
    const words = clip(typeof mend === 'string' ? mend : mend());
    this.#found.push({ code, severity, file: this.#file, line, column, message: clip(message), mend: words });
    this.#refused ||= severity === 'error';
  }

  /** True if an error was found. */
  get refused(): boolean {
    return this.#refused || this.#more > 0;
  }

  /** Everything found, by place. */
  list(): readonly Finding[] {
    const sorted = this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
    if (this.#more === 0) return sorted;
    const last = { line: sorted.at(-1)?.line ?? 1, column: 1, file: this.#file };
    const message = `${this.#more} more were found`;
    return [...sorted, { code: 'too_many_findings', severity: 'error', ...last, message, mend: 'Fix these first.' }];
  }
}
