import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { DEFAULT_LIMIT, requireLength } from '../../http/values'
import { checkedFact, duplicateKey } from '../facts/fact'
import { factByDuplicateKey } from '../facts/store'
import { DRAFT_TEXT_LENGTH, type DraftedFact, draftFacts } from './drafts'
import type { DraftFacts, Drafts } from './schema'

interface Deps {
  /** The text of a note that is not in the trash; null if there is none. */
  readonly noteText: (session: Session, id: string) => Promise<string | null>
}

export type Drafting = ReturnType<typeof createDrafting>

/** Drafts of facts from a note or a text. Nothing is written. */
export function createDrafting({ noteText }: Deps) {
  /** The text that is meant. Throws invalid_request. */
  async function textOf(session: Session, { note_id, text }: DraftFacts): Promise<string> {
    if ((note_id == null) === (text == null))
      throw invalid('/text', 'required', 'either note_id or text must be given, and not both')
    if (note_id == null) return text ?? ''
    const found = await noteText(session, note_id)
    if (found === null)
      throw invalid('/note_id', 'unknown_note', 'note_id must be the id of a note that is not in the trash')
    requireLength(found, DRAFT_TEXT_LENGTH, '/note_id')
    return found
  }

  async function shown({ db, workspace }: Session, { fact, pattern, line }: DraftedFact, note: string | null) {
    const twin = await factByDuplicateKey(db, workspace.id, duplicateKey(checkedFact(fact)))
    const source = note === null ? {} : { source_note_id: note }
    return { fact: { ...fact, ...source }, pattern, line, duplicate_of: twin?.id ?? null }
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
