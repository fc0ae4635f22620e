import type { SignedAddresses } from '../../blobs/signed'
import type { Session } from '../../db/database'
import { keysOf } from '../../db/table'
import type { Tagged } from '../../http/responses'
import { LimitedWorker, type LimitedWorkerOptions } from '../../lib/limited-worker'
import { writeFallback } from '../../lib/markdown/allowed-html'
import { yieldTurn } from '../../lib/steps'
import { readTypedAnswer } from '../cards/card'
import type { Card } from '../cards/card-schema'
import type { CardRow } from '../cards/card-store'
import { getDecksByKeys, listDecksUpwards } from '../decks/deck-store'
import { type FactRow, getFactsByKeys } from '../facts/fact-store'
import type { NoteTypeContent } from '../facts/note-type'
import { loadNoteTypes } from '../facts/note-type-store'
import { listShownMedia, showMedia } from '../media/media-file'
import { getMediaByNames } from '../media/store'
import type { CardRequest, RenderedCard } from './render-card'

interface Deps {
  readonly addresses: Pick<SignedAddresses, 'write'>
  readonly log: NonNullable<LimitedWorkerOptions['log']>
}

export interface ShownCard {
  readonly row: Pick<CardRow, 'id' | 'fact' | 'deck' | 'ordinal'>
  readonly shown: Tagged<Card>
}

/** CPU time of one card in the worker. A card of some KiB takes about 5 ms. */
const LIMIT_MS = { base: 1000, perMiB: 2000 }
/** UTF-16 units of the HTML of one response, which ends early when they are reached. */
const MAX_HTML_UNITS = 4 * 1024 * 1024
/** UTF-16 units of HTML after which others have their turn of the event loop: a millisecond or two, even if cached. */
const TURN_UNITS = 128 * 1024
/** Distinct media of one side. Those beyond are shown by their names. */
const MAX_MEDIA = 200

export type CardHtml = ReturnType<typeof createCardHtml>

/** Creates what renders cards as HTML, in a worker that the first card starts. */
export function createCardHtml({ addresses, log }: Deps) {
  const worker = new LimitedWorker<CardRequest>({
    limitMs: LIMIT_MS,
    log,
    start: () => new Worker(new URL('./render-worker.ts', import.meta.url), { ref: false }),
  })

  async function render(session: Session, { row, shown }: ShownCard, request: CardRequest | null) {
    const owner = session.workspace.id
    const text = JSON.stringify(request)
    const cacheKey = `${owner} ${row.id} ${Bun.hash(text)}`
    const asking = { length: text.length, caller: owner, cacheKey, signal: session.deadline?.signal }
    const rendered = request && (await worker.run(request, asking))
    const { prompt, answer } = shown.resource
    const { prompt: front, answer: back }: RenderedCard = rendered
      ? JSON.parse(rendered)
      : { prompt: writeFallback(prompt), answer: writeFallback(answer) }
    return { prompt_html: await showOwnMedia(session, front), answer_html: await showOwnMedia(session, back) }
  }

  async function showOwnMedia({ db, workspace }: Session, html: string): Promise<string> {
    const names = listShownMedia(html).slice(0, MAX_MEDIA)
    const rows = names.length === 0 ? [] : await getMediaByNames({ db, workspace }, names)
    const media = rows.map(({ id, name, content_type: type }): [string, { type: string; address: string }] => [
      name,
      { type, address: addresses.write(workspace.id, id) },
    ])
    return showMedia(html, new Map(media))
  }

  return {
    /** Adds the HTML of the first cards, at least of one and up to MAX_HTML_UNITS together. Never fails for their content. Throws the reason of the deadline. */
    async add(session: Session, cards: readonly ShownCard[]): Promise<Tagged<Card>[]> {
      const readRequest = await loadRequests(
        session,
        cards.map(({ row }) => row),
      )
      const done: Tagged<Card>[] = []
      let units = 0
      let turnEnds = TURN_UNITS
      for (const card of cards) {
        const { request, typed } = await readRequest(card.row)
        const html = await render(session, card, request)
        units += html.prompt_html.length + html.answer_html.length
        if (units > MAX_HTML_UNITS && done.length > 0) break
        if (units > turnEnds) {
          turnEnds = units + TURN_UNITS
          await yieldTurn()
        }
        const { resource, etag } = card.shown
        const more = typed === null ? html : { ...html, typed_answer: { ...typed, right: [...typed.right] } }
        // Media and their addresses change while the card and its revision stay the same, and what is accepted does.
        const form = `html.${Bun.hash(JSON.stringify(more)).toString(36)}`
        done.push({ resource: { ...resource, ...more }, etag: `${etag.slice(0, -1)}.${form}"` })
      }
      return done
    },

    close: () => worker.close(),
  }
}

/**
 * Reads what cards are rendered from. Returns the function that gives the request for one, null without its fact, and
 * what it asks to type.
 */
async function loadRequests(session: Session, cards: readonly ShownCard['row'][]) {
  const rows = await getFactsByKeys(session, [...new Set(cards.map(({ fact }) => fact))])
  const facts = new Map(rows.map((row) => [row.key, row]))
  const noteTypes = await loadNoteTypes(session, rows)
  const pathOf = await loadDeckPaths(session, [...new Set(cards.map(({ deck }) => deck))])
  return async ({ fact: key, deck, ordinal }: ShownCard['row']) => {
    const fact = facts.get(key)
    const content = fact ? readContent(fact, noteTypes) : null
    if (!fact || !content) return { request: null, typed: null }
    const request: CardRequest = { content, ordinal, tags: JSON.parse(fact.tags), deck: pathOf(deck) }
    const noteType = 'noteType' in content ? content.noteType : undefined
    return { request, typed: await readTypedAnswer(fact, noteType, ordinal) }
  }
}

function readContent(fact: FactRow, noteTypes: ReadonlyMap<number, NoteTypeContent>): CardRequest['content'] | null {
  const noteType = noteTypes.get(fact.note_type ?? Number.NaN)
  if (noteType && fact.fields !== null) return { noteType, fields: JSON.parse(fact.fields) }
  const { type, front, back, text, extra, hint } = fact
  return type === 'custom' ? null : { type, texts: { front, back, text, extra, hint } }
}

/** Reads the names of decks with those above them. */
async function loadDeckPaths(session: Session, keys: readonly number[]) {
  const above = await listDecksUpwards(session, keys)
  const rows = await getDecksByKeys(session, keysOf(above))
  const decks = new Map(rows.map((row) => [row.key, row]))
  return (key: number): string[] => {
    const path: string[] = []
    for (let deck = decks.get(key); deck; deck = decks.get(deck.parent ?? Number.NaN)) path.unshift(deck.name)
    return path
  }
}
