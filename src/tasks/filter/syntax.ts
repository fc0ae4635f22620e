/** The syntax tree of filters, and their errors. */

/** Terms that are a single word, in addition to `p0` to `p4`. */
export const STATE_WORDS = [
  'today',
  'tomorrow',
  'overdue',
  'undated',
  'recurring',
  'blocked',
  'blocking',
  'subtask',
  'open',
  'in_progress',
  'done',
  'cancelled',
  'inbox',
] as const
export const HAS_MEMBERS = ['notes', 'due', 'start', 'reminder', 'duration', 'label', 'note'] as const
export const DATE_FIELDS = ['due', 'start', 'created', 'updated', 'completed'] as const
export const NUMBER_FIELDS = ['priority', 'duration'] as const
export const OPERATORS = ['<', '<=', '=', '!=', '>=', '>'] as const

export type StateWord = (typeof STATE_WORDS)[number]
export type DateField = (typeof DATE_FIELDS)[number]
export type NumberField = (typeof NUMBER_FIELDS)[number]
export type Operator = (typeof OPERATORS)[number]

/** A range of the text, in code points; columns count from 1. */
export interface FilterTextRange {
  readonly column: number
  readonly length: number
}

/** A project, section or label that a filter names. */
export interface NameTerm extends FilterTextRange {
  readonly kind: 'project' | 'section' | 'label'
  readonly name: string
}

/** A term that names no project, section or label. */
export type PlainTerm =
  | { readonly kind: 'state'; readonly state: StateWord }
  | { readonly kind: 'has'; readonly what: (typeof HAS_MEMBERS)[number] }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'date'
      readonly field: DateField
      readonly operator: Operator
      /** Days since 1970; all days outside those of tasks compare alike. */
      readonly day: number
    }
  | { readonly kind: 'number'; readonly field: NumberField; readonly operator: Operator; readonly value: number }

/** Terms joined by and, or and not. */
export type Formula<Term> =
  | { readonly kind: 'and'; readonly parts: readonly Formula<Term>[] }
  | { readonly kind: 'or'; readonly parts: readonly Formula<Term>[] }
  | { readonly kind: 'not'; readonly part: Formula<Term> }
  | Term

export type Filter = Formula<PlainTerm | NameTerm>

/** An error in a filter: where it is, and what is expected there. */
export class FilterError extends Error {
  override readonly name = 'FilterError'
  /** In code points, from 1; for the end of the text, one past the last. */
  readonly column: number
  /** In code points; 0 at the end. */
  readonly length: number

  constructor(
    { column, length }: FilterTextRange,
    readonly code: string,
    readonly detail: string,
    readonly expected: readonly string[] = [],
  ) {
    super(detail)
    this.column = column
    this.length = length
  }
}
