import type { TimeLanguage } from '../../../lib/civil/languages'
import type { Sentence } from './shapes'

/** The intent of a message that the grammar recognizes. Texts are as written, without white space around them. */
export type Intent = ReadIntent | WriteIntent

/** A resource as the caller names it: its title or words of it. */
export interface NamedItem {
  readonly words: string
  /** Whether it was in quotation marks: then the words are the exact title. */
  readonly quoted: boolean
}

/** The two sides of a card. */
export interface CardSides {
  readonly front: string
  readonly back: string
}

/** The span of tasks to show. */
export type TaskSpan = 'overdue' | 'today' | 'tomorrow' | 'week' | 'all'

/** A date or a period in words, which are not read here. */
export interface AskedDate {
  readonly when: string
  /** How days compare with it; `until` and `from` include it. */
  readonly relation: 'in' | 'before' | 'until' | 'after' | 'from'
}

/** The conditions of a question about tasks. */
export interface TaskSlots {
  /** Terms of a filter, all of which must hold. */
  readonly terms: readonly string[]
  readonly date: AskedDate | null
  /** What the date is compared with. */
  readonly field: 'due' | 'completed' | 'created' | 'updated'
}

/** A change of a task that was named without saying that it is a task. */
export type SupposedChange =
  | { readonly kind: 'move'; readonly when: string }
  | { readonly kind: 'rename'; readonly title: string }
  | { readonly kind: 'complete' | 'trash' }

export type ReadIntent =
  | { readonly kind: 'help' | 'greeting' | 'thanks' | 'list_trash' }
  | { readonly kind: 'due_cards'; readonly deck?: string }
  /** The date and the time. */
  | { readonly kind: 'clock' }
  | { readonly kind: 'list_changes'; readonly date: AskedDate }
  | {
      readonly kind: 'list_notes'
      readonly tag: string | null
      readonly folder: string | null
      readonly date: AskedDate | null
      readonly field: 'created' | 'updated'
      /** Whether only their number is asked for. */
      readonly counts: boolean
      readonly latest: boolean
      /** How many to show; null for the usual number. */
      readonly limit: number | null
    }
  /** A new task of which the caller does not say what to do. */
  | { readonly kind: 'ask_task' }
  /** What may be a command, which the caller is asked to say. */
  | { readonly kind: 'did_you_mean'; readonly command: string }
  /** What is a change if a task has that name, which has to be confirmed; else it is a question or an unknown order. */
  | { readonly kind: 'suppose'; readonly task: NamedItem; readonly change: SupposedChange }
  /** A request to write, translate or reason, which rules cannot do. */
  | { readonly kind: 'compose' }
  /** Overdue, today and this week, with the cards that are due. */
  | { readonly kind: 'agenda' }
  | { readonly kind: 'list_tasks'; readonly span: TaskSpan; readonly about: string | null; readonly slots?: TaskSlots }
  | { readonly kind: 'find_notes'; readonly query: string }
  | { readonly kind: 'summarize'; readonly note: NamedItem }
  | { readonly kind: 'draft_cards'; readonly note: NamedItem }

export type WriteIntent =
  /** The words for quick add, dates included, and their language; absent: that of the workspace. */
  | { readonly kind: 'add_task'; readonly text: string; readonly language?: TimeLanguage }
  | { readonly kind: 'complete_task' | 'reopen_task'; readonly task: NamedItem }
  | { readonly kind: 'move_task'; readonly task: NamedItem; readonly when: string }
  | { readonly kind: 'rename_task'; readonly task: NamedItem; readonly title: string }
  | { readonly kind: 'rank_task'; readonly task: NamedItem; readonly priority: number }
  /** All tasks at once: more than one target, so nothing is done. */
  | { readonly kind: 'clear_tasks' }
  | { readonly kind: 'create_note'; readonly title: string | null; readonly body: string; readonly tags: string[] }
  | { readonly kind: 'append_note'; readonly note: NamedItem; readonly text: string }
  | { readonly kind: 'rename_note'; readonly note: NamedItem; readonly title: string }
  | { readonly kind: 'move_note'; readonly note: NamedItem; readonly folder: string }
  /** Replaces the text to find; all of the note where that is null. */
  | { readonly kind: 'edit_note'; readonly note: NamedItem; readonly find: string | null; readonly text: string }
  | { readonly kind: 'file_task'; readonly task: NamedItem; readonly project: string }
  | { readonly kind: 'clear_date'; readonly task: NamedItem }
  /** A tag of a note or a label of a task, to add or to take away. */
  | {
      readonly kind: 'tag_item'
      readonly type: 'note' | 'task'
      readonly named: NamedItem
      readonly tag: string
      readonly adds: boolean
    }
  | { readonly kind: 'restore'; readonly type: 'note' | 'task'; readonly named: NamedItem }
  /** Cards of a list; a deck that is not named is the usual one. */
  | { readonly kind: 'add_cards'; readonly cards: readonly CardSides[]; readonly deck: string | null }
  | { readonly kind: 'trash'; readonly type: 'note' | 'task'; readonly named: NamedItem }
  | { readonly kind: 'store_cards'; readonly note: NamedItem; readonly deck: string }
  | { readonly kind: 'add_card'; readonly front: string; readonly back: string; readonly deck: string }

const READS: readonly Intent['kind'][] = [
  ...(['list_trash', 'clock', 'list_changes', 'list_notes', 'ask_task', 'did_you_mean', 'suppose'] as const),
  ...(['help', 'greeting', 'thanks', 'due_cards', 'compose', 'agenda'] as const),
  ...(['list_tasks', 'find_notes', 'summarize', 'draft_cards'] as const),
]

export const isWrite = (intent: Intent): intent is WriteIntent => !READS.includes(intent.kind)

/** A message in the form that rules read. */
export interface GrammarMessage {
  /** The first line with single spaces, without polite words and without a full stop or question mark at the end. */
  readonly head: string
  /** The words of the head. */
  readonly words: Sentence
  /** The further lines, trimmed; '' for none. */
  readonly body: string
  /** Whether it can be a command: not a question, report, refusal or supposition; see message.ts. */
  readonly command: boolean
}

const QUOTES = /^["“”„«]([^"“”„«»]+)["“”»]$/

/** Removes the quotation marks of a name. */
export function unquoteName(text: string): NamedItem {
  const inner = QUOTES.exec(text.trim())?.[1]
  return { words: (inner ?? text).trim(), quoted: inner !== undefined }
}
