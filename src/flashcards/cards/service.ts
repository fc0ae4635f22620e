import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { type Precondition, requireRevision, type Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { readCivilDate } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { loadCard, showCard, showCards } from '../card'
import type { Card, UpdateCard } from '../card-schema'
import type { CardRow } from '../card-store'
import type { CardWriter } from '../card-writer'
import { readPage, readSortedPage, readStudyFilter, toStudyPage } from '../filter/filter'
import type { ListCards } from '../filter/schema'
import { listCards, listCardsSorted } from '../filter/store'
import type { CardHtml } from '../rendering/service'
import { readStudy } from '../study'

interface Deps extends Pick<Context, 'now'> {
  readonly cardWriter: CardWriter
  readonly html: Pick<CardHtml, 'add'>
}

export type Cards = ReturnType<typeof createCards>

/** Facts create, move and trash their cards, and reviews schedule them. */
export function createCards({ now, cardWriter, html }: Deps) {
  return {
    /** Returns a card, also from the trash, with its sides as HTML if they are wanted. Throws not_found. */
    async get(session: Session, id: string, render?: 'html'): Promise<Tagged<Card>> {
      const row = await loadCard(session, id)
      const shown = await showCard(session, await readStudy(session, now()), row)
      const [rendered] = render === 'html' ? await html.add(session, [{ row, shown }]) : []
      return rendered ?? shown
    },

    /** Returns one page of cards, by id or sorted. Throws invalid_cursor, invalid_request, not_found for a deck. */
    async list(session: Session, query: ListCards): Promise<Page<Card>> {
      const { db, workspace } = session
      const study = await readStudy(session, now())
      const filter = await readStudyFilter(session, query, study)
      const sorted = readSortedPage(query, study)
      if (!sorted) {
        const page = readPage('cards', query)
        const rows = await listCards(db, workspace.id, { ...page, filter, limit: page.limit + 1 })
        return toStudyPage(await showCards(session, study, rows), page)
      }
      const { page } = sorted
      const rows = await listCardsSorted(db, workspace.id, { ...page, filter, limit: page.limit + 1 }, sorted.sort)
      const values = new Map(rows.map(({ id, sort_value }) => [id, sort_value]))
      const items = await showCards(session, study, rows)
      return toStudyPage(items, page, ({ resource: { id } }) => [values.get(id) ?? null, id])
    },

    /** Applies a merge patch. Throws conflict if the card is in the trash, precondition_failed if it was changed. */
    update(session: Session, id: string, patch: UpdateCard, precondition: Precondition = null): Promise<Tagged<Card>> {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const old = await loadCard(tx, id)
        const study = await readStudy(tx, now())
        requireRevision(precondition, (await showCard(tx, study, old)).resource)
        if (old.deleted_at !== null) throw new ApiError('conflict', 'The card is in the trash. Restore its fact first.')
        return showCard(tx, study, await cardWriter.save(tx, old, applyPatch(old, patch)))
      })
    },
  }
}

/** Returns the members after a patch. Throws invalid_request. */
function applyPatch(old: CardRow, { suspended, buried_until, flag, position }: UpdateCard): Partial<CardRow> {
  const until = typeof buried_until === 'string' ? toDay(readCivilDate(buried_until, '/buried_until')) : buried_until
  return {
    suspended: suspended === undefined ? old.suspended : Number(suspended),
    buried_until: until === undefined ? old.buried_until : until,
    flag: flag ?? old.flag,
    position: position ?? old.position,
  }
}
