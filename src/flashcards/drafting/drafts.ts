import { ApiError } from '../../http/api-error'
import { requireLength } from '../../http/values'
import { checkedFact } from '../facts/fact'
import { type MarkdownLine, readLines } from '../markdown/lines'
import type { FactContent } from '../schema'
import { definitions, type FindMatches, headings, questions, tableRows } from './block-patterns'
import { clozes, marks, reversedTerms, terms } from './line-patterns'

/** Facts that a text has the form of: patterns only, no model is asked. */

export const DRAFT_TEXT_LENGTH = 200_000

/** In order of precedence: a line feeds one draft, of the first pattern here. */
const PATTERNS = {
  question: questions,
  term: terms,
  reversed_term: reversedTerms,
  cloze: clozes,
  mark: marks,
  heading: headings,
  definition: definitions,
  table: tableRows,
} as const satisfies Record<string, FindMatches>

export type Pattern = keyof typeof PATTERNS
export const PATTERN_NAMES = Object.keys(PATTERNS) as Pattern[]

export interface DraftedFact {
  /** Valid but for its deck. */
  readonly fact: FactContent
  readonly pattern: Pattern
  /** From 1. */
  readonly line: number
}

/** The first drafts of a text in order of its lines. Throws invalid_request at /text if it is too long. */
export function draftFacts(markdown: string, limit: number): { drafts: DraftedFact[]; truncated: boolean } {
  requireLength(markdown, DRAFT_TEXT_LENGTH, '/text')
  const drafts = findDrafts(readLines(markdown))
  return { drafts: drafts.slice(0, limit), truncated: drafts.length > limit }
}

/** All drafts of a text, by line. What would be no valid fact, such as a side that is too long, is no draft. */
export function findDrafts(lines: readonly MarkdownLine[]): DraftedFact[] {
  const taken = new Uint8Array(lines.length)
  const isFree = (index: number) => lines[index]?.kind === 'text' && taken[index] === 0
  const drafts: DraftedFact[] = []
  for (const pattern of PATTERN_NAMES)
    for (const { fact, lines: used } of PATTERNS[pattern](lines, isFree)) {
      if (!isValid(fact)) continue
      for (const index of used) taken[index] = 1
      drafts.push({ fact, pattern, line: (used[0] ?? 0) + 1 })
    }
  return drafts.sort((a, b) => a.line - b.line)
}

function isValid(fact: FactContent): boolean {
  try {
    checkedFact(fact)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
