// A task of a calendar file in the members of the API, and its limits.

/** Code points of a title. */
export const MAX_ITEM_TITLE_CHARS = 500
/** Code points of a label. */
export const MAX_ITEM_LABEL_CHARS = 100
/** Bytes of UTF-8 of the notes. */
export const MAX_ITEM_NOTES_BYTES = 64 * 1024
export const MAX_ITEM_LABELS = 50
export const MAX_REMINDERS = 10
export const MAX_BLOCKERS = 50
export const MAX_EXDATES = 500
export const MAX_RRULE_UNITS = 500
/** Minutes of a duration: 30 days. */
export const MAX_DURATION_MINUTES = 43_200
/** Bytes of UTF-8 of the lines that are kept of an item though Satchel does not model them. */
export const MAX_REST_BYTES = 16 * 1024

/** A date, or a date and a time: in a zone, or floating if `tz` is null. `time` is `HH:MM`, or null for all day. */
export interface ItemMoment {
  readonly date: string
  readonly time: string | null
  readonly tz: string | null
}

export interface ItemRecurrence {
  readonly rrule: string
  readonly mode: 'schedule' | 'completion'
  readonly skip: 'backward' | 'omit'
  /** The name of an occurrence: see CheckedRule. */
  readonly anchor: string
  /** Names of occurrences, or dates that are left out whole; ascending. */
  readonly exdates: readonly string[]
  /** Names of occurrences beside those of the rule, ascending; absent for none. */
  readonly rdates?: readonly string[]
}

/** Either an instant (RFC 3339, UTC) or minutes from the due date or the start. */
export type ItemReminder =
  | { readonly at: string; readonly offset_minutes: null; readonly from: null }
  | { readonly at: null; readonly offset_minutes: number; readonly from: 'due' | 'start' }

/** The members of a task. Instants are RFC 3339 in UTC with milliseconds. */
export interface ItemMembers {
  readonly title: string
  readonly notes: string | null
  readonly status: 'open' | 'in_progress' | 'done' | 'cancelled'
  /** 0 for none, 1 (most urgent) to 4. */
  readonly priority: number
  readonly due: ItemMoment | null
  readonly start: ItemMoment | null
  readonly duration_minutes: number | null
  readonly recurrence: ItemRecurrence | null
  readonly reminders: readonly ItemReminder[]
  readonly labels: readonly string[]
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly completed_at: string | null
  readonly cancelled_at: string | null
}

/** A part of an item that was read differently from how it was written, or not at all. Codes are stable. */
export interface ItemWarning {
  readonly code: string
  readonly detail: string
}

export interface CalendarItem {
  /** The UID; if the file has none, one made from the item's lines, so that importing the file again finds the item. */
  readonly uid: string
  /** The occurrence of a series that the item describes; null for the series itself, or a task that does not repeat. */
  readonly recurrence_id: ItemMoment | null
  readonly members: ItemMembers
  readonly parent_uid: string | null
  /** The items that this item names as its children (RELTYPE=CHILD). */
  readonly child_uids: readonly string[]
  readonly blocked_by_uids: readonly string[]
  /** The X-SATCHEL-REVISION of the task whose export the file is or was; null if another program wrote the item. */
  readonly revision: string | null
  /** PRIORITY as written, 0 to 9. */
  readonly priority_read: number | null
  /** Unfolded lines that Satchel does not model, joined by line feeds; at most MAX_REST_BYTES bytes. */
  readonly rest: string
  readonly warnings: readonly ItemWarning[]
}

export interface CheckedRule {
  readonly rrule: string
  readonly skip: 'backward' | 'omit'
  /** Whether its occurrences have times: they are called `2026-03-01T08:00`, those of other rules `2026-03-01`. */
  readonly timed: boolean
}

/** Checks the text of an RRULE, with or without RSCALE and SKIP; returns it as Satchel stores it, or what is wrong. */
export type CheckRule = (text: string) => CheckedRule | { readonly problem: string }

export interface Property {
  /** In capitals. */
  readonly name: string
  /** The parameters by lower-case name. */
  readonly params: Readonly<Record<string, string>>
  /** Everything after the colon, as written. */
  readonly raw: string
  readonly line: string
}

export type Warn = (code: string, detail: string) => void
