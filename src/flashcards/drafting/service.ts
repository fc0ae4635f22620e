import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { DEFAULT_LIMIT, requireLength } from '../../http/values'
import { duplicateKey, readFact } from '../fact'
import type { FactContent } from '../fact-schema'
import { findFactByDuplicateKey } from '../fact-store'
import { readDraftLines } from './draft-lines'
import {
  type FindMatches,
  findClozes,
  findDefinitions,
  findHeadings,
  findMarks,
  findQuestions,
  findReversedTerms,
  findTableRows,
  findTerms,
} from './patterns'
import type { DraftFacts, Drafts } from './schema'

// Drafts are found by patterns only. No model is called.

const MAX_DRAFT_TEXT_CHARS = 200_000

/** The patterns in order of precedence: a line belongs to one draft, of the first pattern that matches. */
const PATTERNS = {
  question: findQuestions,
  term: findTerms,
  reversed_term: findReversedTerms,
  cloze: findClozes,
  mark: findMarks,
  heading: findHeadings,
  definition: findDefinitions,
  table: findTableRows,
} as const satisfies Record<string, FindMatches>

type Pattern = keyof typeof PATTERNS
const PATTERN_NAMES = Object.keys(PATTERNS) as Pattern[]

interface DraftedFact {
  /** The content of a valid fact, without a deck. */
  readonly fact: FactContent
  readonly pattern: Pattern
  /** The first line of the draft, counted from 1. */
  readonly line: number
}

/** Returns the first drafts of a text, by line. Throws invalid_request at /text if it is too long. */
export function draftFacts(markdown: string, limit: number): { drafts: DraftedFact[]; truncated: boolean } {
  requireLength(markdown, MAX_DRAFT_TEXT_CHARS, '/text')
  const drafts = findDrafts(markdown)
  return { drafts: drafts.slice(0, limit), truncated: drafts.length > limit }
}

/** Returns all drafts of a text, by line. Leaves out invalid facts, such as those with a side that is too long. */
export function findDrafts(markdown: string): DraftedFact[] {
  const lines = readDraftLines(markdown)
  const taken = new Uint8Array(lines.length)
  const isFree = (index: number) => lines[index]?.kind === 'text' && taken[index] === 0
  const drafts: DraftedFact[] = []
  for (const pattern of PATTERN_NAMES)
    for (const { fact, lines: used } of PATTERNS[pattern](lines, isFree)) {
      if (!isValid(fact)) continue
      for (const index of used) taken[index] = 1
      drafts.push({ fact, pattern, line: lines[used[0] ?? 0]?.number ?? 1 })
    }
  return drafts.sort((a, b) => a.line - b.line)
}

function isValid(fact: FactContent): boolean {
  try {
    readFact(fact)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

interface Deps {
  /** Returns the text of a note; null if there is none, or if it is in the trash. */
  readonly noteText: (session: Session, id: string) => Promise<string | null>
}

export type Drafting = ReturnType<typeof createDrafting>

/** It writes nothing. */
export function createDrafting({ noteText }: Deps) {
  /** Returns the text to read. Throws invalid_request. */
  async function textOf(session: Session, { note_id, text }: DraftFacts): Promise<string> {
    if ((note_id == null) === (text == null))
      throw invalid('/text', 'required', 'either note_id or text must be given, and not both')
    if (note_id == null) return text ?? ''
    const found = await noteText(session, note_id)
    if (found === null)
      throw invalid('/note_id', 'unknown_note', 'note_id must be the id of a note that is not in the trash')
    requireLength(found, MAX_DRAFT_TEXT_CHARS, '/note_id')
    return found
  }

  async function shown({ db, workspace }: Session, { fact, pattern, line }: DraftedFact, note: string | null) {
    const twin = await findFactByDuplicateKey(db, workspace.id, duplicateKey(readFact(fact)))
    const notes = note === null ? {} : { note_ids: [note] }
    return { fact: { ...fact, ...notes }, pattern, line, duplicate_of: twin?.id ?? null }
  }

  return {
    /** Returns the drafts of the text or note in the request. Throws invalid_request. */
    async draft(session: Session, asked: DraftFacts): Promise<Drafts> {
      const text = await textOf(session, asked)
      const { drafts, truncated } = draftFacts(text, asked.limit ?? DEFAULT_LIMIT)
      const note = asked.note_id ?? null
      return { drafts: await Promise.all(drafts.map((draft) => shown(session, draft, note))), truncated }
    },
  }
}
