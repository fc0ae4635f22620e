import type { Queries, Session, WorkspaceId } from '../../src/db/database'
import { createIdentity } from '../../src/gate/keys'
import type { As } from '../support/world'
import type { Source } from './anki/build'
import { BASIC, CLOZE } from './anki/support'
import { makeStudyWorld, type Shown } from './support'

export type File = string | Uint8Array | FormData

/** A world that listens, and short ways to send and fetch files of flashcards. */
export async function makeTransferWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeStudyWorld(settings)
  const base = `${world.listen()}api/flashcards`
  const identity = createIdentity(world.secret.key)
  const idOf = ({ key = '' }: As) => identity.key(key) as WorkspaceId
  const keyOf = (me: As): Record<string, string> => (me.key === undefined ? {} : { 'X-API-Key': me.key })

  async function fetched(me: As, query: string): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
    const response = await fetch(`${base}/export?${query}`, { headers: keyOf(me) })
    return { status: response.status, headers: response.headers, bytes: await response.bytes() }
  }

  return {
    ...world,
    base,

    async send(me: As, query: string, file: File, headers: object = {}): Promise<{ status: number; body: Shown }> {
      const body = file instanceof Uint8Array ? new Uint8Array(file) : file
      const response = await fetch(`${base}/import?${query}`, {
        method: 'POST',
        body,
        headers: { ...keyOf(me), ...headers },
      })
      return { status: response.status, body: await response.json() }
    },

    fetched,

    /** The file; throws unless it is answered. */
    async exported(me: As, query: string): Promise<Uint8Array> {
      const { status, bytes } = await fetched(me, query)
      if (status !== 200) throw new Error(Buffer.from(bytes).toString())
      return bytes
    },

    idOf,

    /** The workspace of a caller, as services see it. */
    sessionOf: (me: As): Session => ({ db: world.db, workspace: { id: idOf(me), kind: 'key' } }),

    async putMedia(me: As, name: string, bytes: Uint8Array): Promise<void> {
      const body = new Uint8Array(bytes)
      const response = await fetch(`${base}/media/${name}`, { method: 'PUT', headers: keyOf(me), body })
      if (!response.ok) throw new Error(await response.text())
    },

    latestSeq: async (me: As): Promise<number> => (await world.callAny(me, 'GET', '/api/changes')).body.latest_seq,

    /** What a caller has studied, in words that no id, revision or time of writing is in. */
    async studied(me: As) {
      const decks = new Map((await world.all(me, '/decks')).map((deck) => [deck.id, deck]))
      const pathOf = (id: string | null): string => {
        const deck = decks.get(id)
        return deck ? [pathOf(deck.parent_id), deck.name].filter(Boolean).join('::') : ''
      }
      const cards = await world.all(me, '/cards')
      const logs = await logsByCard(world.db, idOf(me))
      const facts = (await world.all(me, '/facts')).map((fact: Shown) => {
        const { type, front, back, text, extra, hint, accepted, tags, source } = fact
        const own = cards.filter(({ fact_id }) => fact_id === fact.id).toSorted((a, b) => a.ordinal - b.ordinal)
        return {
          ...{
            type,
            front,
            back,
            text,
            extra,
            hint,
            accepted,
            tags,
            url: source?.url ?? null,
            deck: pathOf(fact.deck_id),
          },
          cards: own.map(cardFacts),
          log: own.map(({ id }) => logs.get(id) ?? []),
        }
      })
      return facts.toSorted((a, b) => ((a.front ?? a.text) < (b.front ?? b.text) ? -1 : 1))
    },
  }
}

/** What a report counts, by type, without what there is nothing of. */
export function counted({ resources }: Shown): Record<string, Record<string, number>> {
  const some = (counts: object) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  return Object.fromEntries(
    Object.entries(resources as Record<string, object>).flatMap(([type, counts]) =>
      Object.keys(some(counts)).length > 0 ? [[type, some(counts)]] : [],
    ),
  )
}

/** What a dry run tells as well. */
export function likeness({ format, totals, resources, warnings, ignored, items, items_total }: Shown) {
  const unnamed = items.map(({ id, ...item }: Shown) => ({ ...item, id: item.action === 'created' ? null : id }))
  return { format, totals, resources, warnings, ignored, items: unnamed, items_total }
}

/** What must survive a round trip. Four digits of memory: another program may keep no more. */
function cardFacts({ ordinal, state, due_day, due_at, stability, difficulty, ...card }: Shown) {
  const { scheduled_days, step, reps, lapses, suspended, buried_until, flag } = card
  const kept = (value: number | null) => (value === null ? null : Number(value.toPrecision(4)))
  const due = state === 'review' ? due_day : due_at && `${due_at.slice(0, 19)}Z`
  const memory = [kept(stability), kept(difficulty)]
  return { ordinal, state, due, memory, scheduled_days, step, reps, lapses, suspended, buried_until, flag }
}

/** Answers that stand, by time. */
async function logsByCard(db: Queries, workspace: WorkspaceId): Promise<Map<string, (string | number | null)[][]>> {
  const rows = await db.all<{ card_id: string; rating: number | null; reviewed_at: number; duration_ms: number }>(
    `SELECT study_cards.id AS card_id, rating, study_reviews.reviewed_at, duration_ms FROM study_reviews
     JOIN study_cards ON study_cards.key = study_reviews.card
     WHERE study_reviews.workspace = $1 AND rating IS NOT NULL AND undone_at IS NULL
     ORDER BY study_reviews.reviewed_at, study_reviews.key`,
    [workspace],
  )
  const logs = new Map<string, (string | number | null)[][]>()
  for (const { card_id, ...row } of rows) logs.set(card_id, [...(logs.get(card_id) ?? []), Object.values(row)])
  return logs
}

/** Some of all that packages hold: decks, both kinds of notetypes, studied cards, a log, tags, media. */
export const STUDIED_SOURCE: Source = {
  decks: [
    { id: 1, name: 'Default' },
    { id: 100, name: 'Languages::Portuguese' },
    { id: 101, name: 'Geography' },
  ],
  notetypes: [BASIC, CLOZE],
  notes: [
    { id: 1, mid: 10, fields: ['o rio <img src="rio.png">', 'the <b>river</b>'], tags: ' noun Water::sweet ' },
    { id: 2, mid: 12, fields: ['{{c1::Lisboa}} fica no {{c2::Tejo}}', 'A capital'] },
    { id: 3, mid: 10, fields: ['old', 'without a log'] },
  ],
  cards: [
    {
      ...{ id: 11, nid: 1, did: 100, due: 20, type: 2, queue: 2, ivl: 12, factor: 2300, reps: 2, flags: 3 },
      data: '{"s":12.5,"d":4.25,"lrt":1767800000}',
    },
    { id: 21, nid: 2, did: 101, type: 0, due: 7 },
    { id: 22, nid: 2, did: 101, ord: 1, type: 1, queue: 1, due: 1_767_960_600, reps: 1 },
    { id: 31, nid: 3, did: 101, type: 2, queue: -1, due: 30, ivl: 20, factor: 2100, reps: 9, lapses: 1 },
  ],
  reviews: [
    { id: 1_767_700_000_000, cid: 11, ease: 3, type: 0 },
    { id: 1_767_800_000_000, cid: 11, ease: 4 },
    { id: 1_767_950_000_000, cid: 22, ease: 1, type: 0 },
  ],
  media: { 'rio.png': 'picture', 'não.mp3': 'sound' },
}

export const VOCABULARY = {
  id: 1_500_000_000_022,
  fields: ['Word', 'Meaning', 'Sound'],
  templates: [
    ['What is {{Word}}?', '{{FrontSide}}<hr id=answer>{{Meaning}}'],
    ['How do you say {{Meaning}}?', '{{Word}} {{Sound}}'],
  ],
} as const
export const SPELLING = {
  id: 1_500_000_000_023,
  fields: ['Hint', 'Word'],
  templates: [['Spell {{Hint}} {{type:Word}}', '{{type:Word}}']],
} as const
/** When the first of these notes was made. */
export const NOTES_START = Date.UTC(2020, 0, 1, 12)

/** A note of each sort: plain, custom, typed, without an answer, a cloze of the number 0, of no note type. */
export const NOTES_SOURCE: Source = {
  decks: [{ id: 100, name: 'Deck' }],
  notetypes: [BASIC, CLOZE, VOCABULARY, SPELLING],
  notes: [
    { id: NOTES_START, mid: BASIC.id, fields: ['<b>one</b>', 'eins &amp; <img src="a.png">'] },
    { id: NOTES_START + 1, mid: VOCABULARY.id, fields: ['rio', '<i>river</i>', '[sound:rio.mp3]'] },
    { id: NOTES_START + 2, mid: SPELLING.id, fields: ['a river', 'rio'] },
    { id: NOTES_START + 3, mid: BASIC.id, fields: ['no answer', ''] },
    { id: NOTES_START + 4, mid: CLOZE.id, fields: ['{{c0::zero}}', ''] },
    { id: NOTES_START + 5, mid: 999, fields: ['a', 'b'] },
    { id: NOTES_START + 6, mid: CLOZE.id, fields: ['{{c1::Lisboa::city}} and {{c2::Porto}}', 'two'] },
  ],
  cards: [
    { id: 1, nid: NOTES_START, did: 100 },
    { id: 2, nid: NOTES_START + 1, did: 100 },
    { id: 3, nid: NOTES_START + 1, did: 100, ord: 1, type: 2, queue: 2, due: 20, ivl: 12, factor: 2300, reps: 1 },
    { id: 4, nid: NOTES_START + 2, did: 100 },
    { id: 5, nid: NOTES_START + 3, did: 100 },
    { id: 6, nid: NOTES_START + 4, did: 100, type: 2, queue: 2, due: 20, ivl: 12, factor: 2300, reps: 1 },
    { id: 7, nid: NOTES_START + 5, did: 100 },
    { id: 8, nid: NOTES_START + 6, did: 100 },
    { id: 9, nid: NOTES_START + 6, did: 100, ord: 1 },
  ],
  reviews: [3, 6].map((cid, i) => ({ id: NOTES_START + 86_400_000 + i, cid, ease: 3, type: 0 })),
  media: { 'a.png': 'picture' },
}
