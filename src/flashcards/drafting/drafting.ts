import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, invalid } from '../../http/api-error'
import { Id, nameSchemas } from '../../http/schema'
import { DEFAULT_LIMIT, requireLength } from '../../http/values'
import { duplicateKey, readFact } from '../facts/fact'
import { FactContent } from '../facts/fact-schema'
import { findFactByDuplicateKey } from '../facts/fact-store'
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
  readDraftLines,
} from './patterns'

const DraftFacts = t.Object(
  {
    note_id: t.Optional(t.Union([Id, t.Null()], { description: 'The note to read.' })),
    text: t.Optional(
      t.Union([t.String(), t.Null()], { description: 'Markdown of at most 200,000 characters, instead of a note.' }),
    ),
    limit: t.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'The most drafts; 50 by default.' })),
  },
  { additionalProperties: false, examples: [{ text: 'Q: What is the capital of Spain?\nA: Madrid', limit: 20 }] },
)

const PatternName = t.Union([
  t.Literal('question'),
  t.Literal('term'),
  t.Literal('reversed_term'),
  t.Literal('cloze'),
  t.Literal('mark'),
  t.Literal('heading'),
  t.Literal('definition'),
  t.Literal('table'),
])

export const Drafts = t.Object(
  {
    drafts: t.Array(
      t.Object({
        fact: FactContent,
        pattern: PatternName,
        line: Type.Integer({ minimum: 1, description: 'The line of the text where it begins.' }),
        duplicate_of: t.Union([Id, t.Null()], {
          description: 'The id of a fact with the same type and front (or text).',
        }),
      }),
    ),
    truncated: t.Boolean({ description: 'There are more than `limit`.' }),
  },
  {
    examples: [
      {
        drafts: [
          {
            fact: { type: 'basic', front: 'What is the capital of Spain?', back: 'Madrid' },
            pattern: 'question',
            line: 1,
            duplicate_of: null,
          },
        ],
        truncated: false,
      },
    ],
  },
)

type DraftFacts = Static<typeof DraftFacts>
export type Drafts = Static<typeof Drafts>

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
  /** Throws invalid_request. */
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

  async function shown(session: Session, { fact, pattern, line }: DraftedFact, note: string | null) {
    const twin = await findFactByDuplicateKey(session, duplicateKey(readFact(fact)))
    const notes = note === null ? {} : { note_ids: [note] }
    return { fact: { ...fact, ...notes }, pattern, line, duplicate_of: twin?.id ?? null }
  }

  return {
    /** Throws invalid_request. */
    async draft(session: Session, asked: DraftFacts): Promise<Drafts> {
      const text = await textOf(session, asked)
      const { drafts, truncated } = draftFacts(text, asked.limit ?? DEFAULT_LIMIT)
      const note = asked.note_id ?? null
      return { drafts: await Promise.all(drafts.map((draft) => shown(session, draft, note))), truncated }
    },
  }
}

nameSchemas({ DraftFacts, FactDrafts: Drafts })

export function draftsRoutes({ drafting, api }: { drafting: Drafting; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards/drafts', tags: ['Flashcards in and out'] }).use(api).post(
    '',
    ({ once, body }) =>
      once(async (session) => {
        return { status: 200, headers: {}, body: await drafting.draft(session, body) }
      }),
    {
      idempotent: true,
      body: DraftFacts,
      response: { 200: Drafts },
      detail: {
        operationId: 'draftFacts',
        summary: 'Draft facts',
        description:
          'Finds what has the form of a fact in a note or a text: `Q:` and `A:`, `term :: meaning`, `term ::: meaning` (reversed), `{{c1::…}}`, `==marked==`, headings that ask, definitions, tables of two columns. Nothing is stored: complete each `fact` with a deck_id and send it to `/facts/batch`.',
      },
    },
  )
}
