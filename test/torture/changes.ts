import { zipOfTexts } from '../support/zip'
import { idOf } from './row'

/** The kinds of change that a mixed load makes, each with a way to see later whether it is there, all of it. */

export interface Sent {
  readonly method: string
  readonly path: string
  readonly body: object | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** One change of one thing. */
export interface Change {
  /** What is changed, by a name of its own. */
  readonly thing: string
  readonly sent: Sent
  /** What is seen of the thing once it is done. */
  readonly becomes: string
  /** Where the thing is looked at. */
  readonly path: string
  /** What of the answer there is compared; null if the thing is not there. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly see: (body: any) => string | null
  /** What else the answer that acknowledges it must tell. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly confirms?: (body: any) => boolean
  /** It carries an Idempotency-Key: sent again, however often, it is done once. */
  readonly repeatable?: boolean
}

/** What a change is made from. */
export interface Hand {
  /** Sets what it makes apart from that of others. */
  readonly writer: number
  /** Another number for each change. */
  readonly step: number
  /** From 0 up to below 1. */
  readonly random: () => number
  /** Cards to be answered. */
  readonly cards: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
type Body = any

/** A word that nothing else has. */
const wordOf = ({ writer, step }: Hand) => `zq${writer}x${step}`

/** One of the things that are there to be changed: few, so that each is changed often. */
const one = (hand: Hand, group: number) => idOf(group + hand.writer, Math.floor(hand.random() * 20))

const titleAndBody = ({ title, body }: Body) => JSON.stringify([title, body])

function writeNote(hand: Hand, isThere: (thing: string) => boolean): Change {
  const id = one(hand, 0)
  const title = `note ${wordOf(hand)}`
  const body = `${title}\n`.repeat(1 + (hand.step % 40))
  const path = `/api/notes/${id}`
  const sent = isThere(path)
    ? { method: 'PATCH', path, body: { title, body } }
    : { method: 'POST', path: '/api/notes', body: { id, title, body } }
  return { thing: path, sent, becomes: titleAndBody({ title, body }), path, see: titleAndBody }
}

function writeTask(hand: Hand, isThere: (thing: string) => boolean): Change {
  const id = one(hand, 32)
  const title = `task ${wordOf(hand)}`
  const path = `/api/tasks/${id}`
  const see = (body: Body) => body.title
  const change = { thing: path, becomes: title, path, see }
  if (isThere(path)) return { ...change, sent: { method: 'PATCH', path, body: { title, labels: ['zq'] } } }
  return { ...change, sent: { method: 'POST', path: '/api/tasks', body: { id, title } } }
}

/** A task and its part, done, in one request. */
function doTasks(hand: Hand): Change {
  const [first, second] = [idOf(64 + hand.writer, 2 * hand.step), idOf(64 + hand.writer, 2 * hand.step + 1)]
  const title = `both ${wordOf(hand)}`
  const ops = [
    { op: 'create', id: first, data: { title } },
    { op: 'create', id: second, data: { title, parent_id: first } },
    { op: 'complete', id: second },
  ]
  return {
    thing: `tasks ${first}`,
    sent: { method: 'POST', path: '/api/tasks/batch', body: { atomic: true, ops } },
    becomes: '{"total":1,"done":1}',
    path: `/api/tasks/${first}`,
    see: ({ subtasks }) => JSON.stringify(subtasks),
  }
}

function answerCard(hand: Hand): Change {
  const id = idOf(96 + hand.writer, hand.step)
  const card = hand.cards[Math.floor(hand.random() * hand.cards.length)]
  // Never 1: a card that is forgotten time and again is a leech, and suspended.
  const rating = 2 + (hand.step % 3)
  return {
    thing: `review ${id}`,
    sent: { method: 'POST', path: `/api/flashcards/cards/${card}/reviews`, body: { id, rating } },
    becomes: `${card} ${rating}`,
    path: `/api/flashcards/reviews/${id}`,
    see: (review) => `${review.card_id} ${review.rating}`,
  }
}

const titles = ({ items }: Body): string | null => {
  const found = items.map(({ title }: Body) => title).toSorted()
  return found.length === 0 ? null : found.join()
}

function repeatNote(hand: Hand): Change {
  const word = wordOf(hand)
  return {
    thing: `repeated ${word}`,
    sent: { method: 'POST', path: '/api/notes', body: { title: word }, headers: { 'Idempotency-Key': word } },
    becomes: word,
    path: `/api/search?types=note&q=${word}`,
    see: titles,
    repeatable: true,
  }
}

function importArchive(hand: Hand): Change {
  const word = wordOf(hand)
  const at = '2026-03-01T08:15:00.000Z'
  const titled = Array.from({ length: 5 }, (_, i) => `${word} ${i}`)
  const lines = titled.map((title, i) =>
    JSON.stringify({
      ...{ id: idOf(128 + hand.writer, hand.step * 8 + i), revision: 1, created_at: at, updated_at: at },
      ...{ deleted_at: null, archived_at: null, pinned: false, folder: word, tags: [word], properties: {} },
      ...{ source: null, daily_date: null, imported: null, title, file_name: null, body: `of ${word}` },
    }),
  )
  const manifest = JSON.stringify({ format: 'satchel-workspace', version: 1 })
  return {
    thing: `archive ${word}`,
    sent: {
      method: 'POST',
      path: '/api/import',
      body: zipOfTexts({ 'manifest.json': manifest, 'data/note.jsonl': lines.join('\n') }),
      headers: { 'Content-Type': 'application/zip' },
    },
    becomes: titled.join(),
    path: `/api/notes?folder=${word}`,
    see: titles,
  }
}

function tellChat(hand: Hand): Change {
  const word = wordOf(hand)
  const content = `Add task: feed ${word}`
  return {
    thing: `chat ${word}`,
    sent: {
      method: 'POST',
      path: '/api/chat',
      body: { messages: [{ role: 'user', content }] },
      headers: { 'Idempotency-Key': word },
    },
    becomes: `feed ${word}`,
    path: `/api/search?types=task&q=${word}`,
    see: titles,
    confirms: ({ actions }) => actions[0]?.status === 'done',
    repeatable: true,
  }
}

const KINDS = [writeNote, writeNote, writeNote, writeTask, doTasks, answerCard, answerCard, repeatNote, tellChat]

/** Another change, by chance. Archives are rare: they take longest. */
export function nextChange(hand: Hand, isThere: (thing: string) => boolean): Change {
  if (hand.step % 23 === 22) return importArchive(hand)
  const kind = KINDS[Math.floor(hand.random() * KINDS.length)] ?? writeNote
  return kind(hand, isThere)
}
